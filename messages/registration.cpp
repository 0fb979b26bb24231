// The only translation unit that instantiates the CAF templates of all message types.
#define HEDDLE_INSTANTIATION
#include "messages/registration.hpp"

#include "caf_compat/configuration.hpp"
#include "messages/type_ids.hpp"

namespace heddle {

void register_messages(caf::actor_system_config& config) { config.add_message_types<caf::id_block::heddle>(); }

}  // namespace heddle
