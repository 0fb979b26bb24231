// Field lists of model/ values in inputs of several deciders.
#pragma once

#include <concepts>
#include <type_traits>

#include "model/extra_resource.hpp"

namespace heddle {

template <class Visit, class Value>
requires std::same_as<std::remove_const_t<Value>, ExtraResource>
void visit_fields(Visit& visit, Value& value) {
  visit("name", value.name);
  visit("amount", value.amount);
}

}  // namespace heddle
