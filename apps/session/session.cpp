#include "apps/session/session.hpp"

#include "apps/roles/session_files.hpp"
#include "apps/session/cluster_session.hpp"
#include "apps/session/local_session.hpp"
#include "apps/session/queue_check.hpp"
#include "apps/session/resource_validation.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options, const IsCancelled& is_cancelled) {
  ignore_file_size_signal();
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
  if (options.framework != config::Framework::classic)  // it has no queues
    if (auto found = check_queue(options); !found) return found.error();
  if (options.framework == config::Framework::driver)  // others have no executors
    if (auto fits = check_executor_size(options); !fits) return fits.error();
  if (is_cancelled && is_cancelled()) return Error{Errc::cancelled, std::string{cancelled_while_opening}};
  return options.master.kind == config::MasterKind::local ? open_local_session(options)
                                                          : open_cluster_session(options, is_cancelled);
}

}  // namespace heddle::apps
