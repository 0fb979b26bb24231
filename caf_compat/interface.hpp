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

/// Passes the fields to the inspector. CAF's savers and loaders get them one by one: they would instantiate their
/// operator() for each list of types that is the end of a list of fields.
template <class Inspector, class... Fields>
typename Inspector::result_type inspect_fields(Inspector& inspector, const char* type, Fields&... fields) {
  if constexpr (std::is_same_v<typename Inspector::result_type, caf::error>) {
    caf::error fault;
    static_cast<void>(((fault = inspector(fields), !fault) && ...));
    return fault;
  } else {
    return inspector(caf::meta::type_name(type), fields...);
  }
}

/// True for each HEDDLE_MESSAGE.
template <class Type>
inline constexpr bool is_message = false;

}  // namespace heddle::caf_compat

namespace caf::detail {

// Two of CAF's templates, for messages of one value. CAF's own have about 200 functions for each type, because they
// dispatch over ten positions of a tuple and construct from anything; they were half of the compile time of messages.

/// A value of any type.
template <class Message>
requires heddle::caf_compat::is_message<Message>
class type_erased_value_impl<Message> : public type_erased_value {
public:
  type_erased_value_impl() = default;
  explicit type_erased_value_impl(const Message& value) : value_{value} {}
  explicit type_erased_value_impl(Message&& value) : value_{std::move(value)} {}

  void* get_mutable() override { return &value_; }
  const void* get() const override { return &value_; }
  rtti_pair type() const override { return make_rtti_pair<Message>(); }
  error load(deserializer& source) override { return source(value_); }
  /// As in CAF, a saver takes a value that it does not change as a mutable reference.
  error save(serializer& sink) const override { return sink(const_cast<Message&>(value_)); }
  std::string stringify() const override { return deep_to_string(value_); }
  type_erased_value_ptr copy() const override { return type_erased_value_ptr{new type_erased_value_impl(value_)}; }

private:
  Message value_;
};

/// The content of a message of one value.
template <class Base, class Message>
requires heddle::caf_compat::is_message<Message>
class tuple_vals_impl<Base, Message> : public Base {
public:
  using super = message_data;
  using data_type = std::tuple<Message>;

  tuple_vals_impl(const tuple_vals_impl&) = default;
  template <class... Values>
  tuple_vals_impl(Values&&... values) : data_{std::forward<Values>(values)...} {}

  data_type& data() { return data_; }
  const data_type& data() const { return data_; }
  std::size_t size() const noexcept override { return 1; }
  const void* get(std::size_t) const noexcept override { return &value(); }
  void* get_mutable(std::size_t) override { return &value(); }
  std::string stringify(std::size_t) const override { return deep_to_string(value()); }
  using Base::copy;
  type_erased_value_ptr copy(std::size_t) const override {
    return type_erased_value_ptr{new type_erased_value_impl<Message>(value())};
  }
  using Base::load;
  error load(std::size_t, deserializer& source) override { return source(value()); }
  std::uint32_t type_token() const noexcept override { return make_type_token<Message>(); }
  rtti_pair type(std::size_t) const noexcept override { return make_rtti_pair<Message>(); }
  using Base::save;
  error save(std::size_t, serializer& sink) const override { return sink(value()); }

private:
  Message& value() const { return const_cast<Message&>(std::get<0>(data_)); }

  data_type data_;
};

}  // namespace caf::detail

// HEDDLE_INSPECT(Type, field…): inspect() of a struct inside a message. HEDDLE_INSPECT_EMPTY(Type): of a struct without
// fields.
#define HEDDLE_INSPECT_EMPTY(Type)                                       \
  template <class Inspector>                                             \
  typename Inspector::result_type inspect(Inspector& inspector, Type&) { \
    return inspector(caf::meta::type_name(#Type));                       \
  }
#define HEDDLE_INSPECT(Type, ...)                                                            \
  template <class Inspector>                                                                 \
  typename Inspector::result_type inspect(Inspector& inspector, Type& x) {                   \
    return heddle::caf_compat::inspect_fields(inspector, #Type, HEDDLE_FIELDS(__VA_ARGS__)); \
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
  template <>                                                                                                \
  inline constexpr bool heddle::caf_compat::is_message<heddle::Type> = true;                                 \
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
