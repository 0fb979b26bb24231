#include "apps/session/session.hpp"

#include "apps/roles/session_files.hpp"
#include "apps/session/cluster_session.hpp"
#include "apps/session/local_session.hpp"
#include "apps/session/queue_check.hpp"
#include "apps/session/resource_validation.hpp"
#include "apps/session/yarn_cluster_mode.hpp"
#include "apps/session/yarn_session.hpp"
#include "work/tasks/function_registry.hpp"

namespace heddle::apps {

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options, const IsCancelled& is_cancelled,
                                               const OnNotice& on_notice) {
  ignore_file_size_signal();
  if (auto checked = work::FunctionRegistry::of_program().check(); !checked) return checked.error();
  if (options.framework != config::Framework::classic)  // it has no queues
    if (auto found = check_queue(options); !found) return found.error();
  if (options.framework == config::Framework::driver)  // others have no executors
    if (auto fits = check_executor_size(options); !fits) return fits.error();
  if (is_cancelled && is_cancelled()) return Error{Errc::cancelled, std::string{cancelled_while_opening}};
  switch (options.master.kind) {
    case config::MasterKind::local: return open_local_session(options);
    case config::MasterKind::local_cluster: return open_cluster_session(options, is_cancelled);
    case config::MasterKind::yarn:
      return options.is_cluster_deploy ? open_yarn_cluster_mode(options, is_cancelled, on_notice)
                                       : open_yarn_session(options, is_cancelled, on_notice);
  }
  return Error{Errc::internal, "unknown master"};
}

}  // namespace heddle::apps
