// A message type of an embedding program, with the id that the comment of first_free_type_id documents.
#pragma once

#include <string>

#include "heddle/actors.hpp"

namespace actors_test {

struct Greeting {
  std::string text;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& inspector, Greeting& greeting) {
  return inspector(greeting.text);
}

}  // namespace actors_test

CAF_BEGIN_TYPE_ID_BLOCK(mine, ::heddle::first_free_type_id)
CAF_ADD_TYPE_ID(mine, (actors_test::Greeting))
CAF_END_TYPE_ID_BLOCK(mine)
