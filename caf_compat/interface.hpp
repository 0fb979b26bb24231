// The only header that depends on the CAF version (0.17.6 or 1.x): interfaces, inspection, registration.
#pragma once

#include <caf/deserializer.hpp>
#include <caf/fwd.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/none.hpp>
#include <caf/serializer.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>

#include "caf_compat/packed.hpp"

namespace heddle::caf_compat {

namespace detail {

template <class Signature>
struct InterfaceClause;

template <class Message>
struct InterfaceClause<void(Message)> {
  using type = caf::reacts_to<Message>;
};

template <class Answer, class Message>
struct InterfaceClause<Answer(Message)> {
  using type = typename caf::replies_to<Message>::template with<Answer>;
};

}  // namespace detail

/// A typed handle from signatures: Interface<void(LaunchTask), StatusReport(GetStatus)>.
template <class... Signatures>
using Interface = caf::typed_actor<typename detail::InterfaceClause<Signatures>::type...>;

/// A handle with more signatures. It converts to a handle of `Base`.
template <class Base, class... Signatures>
using ExtendedInterface = typename Base::template extend<typename detail::InterfaceClause<Signatures>::type...>;

}  // namespace heddle::caf_compat

// HEDDLE_INSPECT(Type, field…): inspect() of a struct inside a message. HEDDLE_INSPECT_EMPTY(Type): of a struct without
// fields.
#define HEDDLE_INSPECT_EMPTY(Type)                                       \
  template <class Inspector>                                             \
  typename Inspector::result_type inspect(Inspector& inspector, Type&) { \
    return inspector(caf::meta::type_name(#Type));                       \
  }
#define HEDDLE_INSPECT(Type, ...)                                              \
  template <class Inspector>                                                   \
  typename Inspector::result_type inspect(Inspector& inspector, Type& x) {     \
    return inspector(caf::meta::type_name(#Type), HEDDLE_FIELDS(__VA_ARGS__)); \
  }
// HEDDLE_MESSAGE(Type, field…), HEDDLE_MESSAGE_EMPTY(Type): the same for a message type. They also declare the CAF
// templates of the type as extern, so that senders and receivers do not compile them. messages/registration.cpp defines
// HEDDLE_INSTANTIATION as empty and instantiates them once.
#ifndef HEDDLE_INSTANTIATION
#define HEDDLE_INSTANTIATION extern
#endif
#define HEDDLE_MESSAGE_EMPTY(Type) \
  HEDDLE_INSPECT_EMPTY(Type)       \
  HEDDLE_INSTANTIATE(Type)
#define HEDDLE_MESSAGE(Type, ...)   \
  HEDDLE_INSPECT(Type, __VA_ARGS__) \
  HEDDLE_INSTANTIATE(Type)
// HEDDLE_PACKED_MESSAGE(Type, field…): the same for a message on the path of a task, encoded by caf_compat/packed.hpp.
// Its fields are numbers, texts, vectors, pairs, optionals, variants and structs of these; no actor handles.
#define HEDDLE_PACKED_MESSAGE(Type, ...)                                                                  \
  HEDDLE_INSPECT(Type, __VA_ARGS__)                                                                       \
  HEDDLE_INSTANTIATION template caf::error caf_compat::pack(caf::serializer&, Type&);                     \
  HEDDLE_INSTANTIATION template caf::error caf_compat::unpack(caf::deserializer&, Type&);                 \
  inline caf::error inspect(caf::serializer& sink, Type& x) { return caf_compat::pack(sink, x); }         \
  inline caf::error inspect(caf::deserializer& source, Type& x) { return caf_compat::unpack(source, x); } \
  HEDDLE_INSTANTIATE_VALUES(Type)
#define HEDDLE_INSTANTIATE(Type)                                               \
  HEDDLE_INSTANTIATION template caf::error inspect(caf::serializer&, Type&);   \
  HEDDLE_INSTANTIATION template caf::error inspect(caf::deserializer&, Type&); \
  HEDDLE_INSTANTIATE_VALUES(Type)
#define HEDDLE_INSTANTIATE_VALUES(Type)                                                                      \
  inline void inspect(caf::detail::stringification_inspector& inspector, Type&) {                            \
    inspector(caf::meta::type_name(#Type));                                                                  \
  }                                                                                                          \
  }                                                                                                          \
  HEDDLE_INSTANTIATION template class caf::detail::type_erased_value_impl<heddle::Type>;                     \
  HEDDLE_INSTANTIATION template class caf::detail::tuple_vals_impl<caf::detail::message_data, heddle::Type>; \
  HEDDLE_INSTANTIATION template class caf::detail::tuple_vals_impl<caf::type_erased_tuple, heddle::Type>;    \
  HEDDLE_INSTANTIATION template class caf::detail::tuple_vals<heddle::Type>;                                 \
  namespace heddle {
#define HEDDLE_PARENS ()
#define HEDDLE_EXPAND(...) HEDDLE_EXPAND3(HEDDLE_EXPAND3(HEDDLE_EXPAND3(__VA_ARGS__)))
#define HEDDLE_EXPAND3(...) HEDDLE_EXPAND2(HEDDLE_EXPAND2(HEDDLE_EXPAND2(__VA_ARGS__)))
#define HEDDLE_EXPAND2(...) HEDDLE_EXPAND1(HEDDLE_EXPAND1(HEDDLE_EXPAND1(__VA_ARGS__)))
#define HEDDLE_EXPAND1(...) __VA_ARGS__
#define HEDDLE_FIELDS(...) HEDDLE_EXPAND(HEDDLE_NEXT_FIELD(__VA_ARGS__))
#define HEDDLE_NEXT_FIELD(field, ...) x.field __VA_OPT__(, HEDDLE_AGAIN HEDDLE_PARENS(__VA_ARGS__))
#define HEDDLE_AGAIN() HEDDLE_NEXT_FIELD
