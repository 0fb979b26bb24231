#include "policies/map_reduce/map_reduce_link.hpp"

namespace heddle::policies {

std::vector<std::int64_t> MapReduceLink::on_answer(Instant now) {
  retrying_since_ = now;
  last_heard_ = now;
  return std::exchange(waiting_, {});
}

LinkVerdict MapReduceLink::on_failure(Instant now, LinkFailure failure) const {
  if (failure == LinkFailure::attempt_unknown) return LinkVerdict::end;
  if (failure == LinkFailure::not_registered) return LinkVerdict::register_again;
  return now >= next_due() ? LinkVerdict::end : LinkVerdict::retry;
}

}  // namespace heddle::policies
