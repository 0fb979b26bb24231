#include "apps/roles/scheduled_copies.hpp"

#include <utility>

namespace heddle::apps {
namespace {

class ScheduledCopies final : public ports::CopyRules {
public:
  ScheduledCopies(const policies::ShuffleScheduleSettings& settings, const ports::Clock& clock,
                  ports::CopyNotices& notices)
      : schedule_{settings, clock.now()}, clock_{clock}, notices_{notices} {}

  void on_longest_map(Duration run_time) override { schedule_.on_longest_map(run_time); }
  void on_copied(std::int32_t map, const std::string& host) override {
    static_cast<void>(schedule_.on_copied(clock_.now(), map, host));
  }
  ports::CopyVerdict on_copy_failed(std::int32_t map, const std::string& host, CopyError error) override {
    const auto failure = schedule_.on_copy_failed(clock_.now(), map, host, error);
    if (failure.report_to_master) notices_.add(map);
    ports::CopyVerdict verdict;
    verdict.host_wait = failure.host_penalty;
    if (failure.map_failed_too_often) verdict.end_task = "the output of one map could not be copied too often";
    else if (failure.is_unhealthy) verdict.end_task = "too many map outputs could not be copied";
    return verdict;
  }

private:
  policies::ShuffleSchedule schedule_;
  const ports::Clock& clock_;
  ports::CopyNotices& notices_;
};

}  // namespace

ports::MakeCopyRules scheduled_copies(const policies::ShuffleScheduleSettings& settings, const ports::Clock& clock,
                                      ports::CopyNotices& notices) {
  return [settings, &clock, &notices](const StageKey&, std::int32_t, std::int32_t, std::int32_t maps) {
    auto made = settings;
    made.maps = maps;
    return std::make_unique<ScheduledCopies>(made, clock, notices);
  };
}

}  // namespace heddle::apps
