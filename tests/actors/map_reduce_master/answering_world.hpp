// A MasterWorld whose ResourceManager answers as a test says: headroom, number of nodes, conditions of nodes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/map_reduce_master/master_world.hpp"

namespace heddle::actors {

constexpr std::int32_t failed_map_priority = 5;
constexpr std::int32_t reduce_priority = 10;
constexpr std::int32_t map_priority = 20;

struct AnsweringWorld : MasterWorld {
  using MasterWorld::MasterWorld;
  Resource headroom{8192, 4};
  std::int32_t nodes = 1;

  static GrantedContainer grant_on(std::int64_t container, const std::string& host,
                                   std::int32_t priority = map_priority) {
    return {ContainerId{container}, NodeId{5}, host, "node:1", priority, {512, 1}};
  }
  static CompletedContainer ended(std::int64_t container, std::int32_t exit_status = 0) {
    return {ContainerId{container}, {exit_status, {}, {}, {}}};
  }
  /// `hosts`: of the split of each map.
  void submit_near(const std::vector<std::vector<std::string>>& hosts, std::int32_t reduces,
                   std::int32_t earlier_masters = 0) {
    SubmitJob message;
    message.request = 7;
    message.package = reduces > 0 ? tests::map_reduce_package(hosts, reduces) : tests::map_only_package(hosts);
    message.earlier_drivers = earlier_masters;
    say(client, master, message);
  }
  [[nodiscard]] bool is_asking() const { return cluster.count<AllocateRequest>() > last_response; }
  /// Answers open requests without news, until none follows at once.
  void rest() {
    for (int i = 0; i < 5 && is_asking(); ++i) send({}, {}, {});
  }
  /// Answers the request that follows from all that has happened.
  void answer(std::vector<GrantedContainer> grants = {}, std::vector<CompletedContainer> ends = {},
              std::vector<NodeUpdate> updated = {}) {
    ask();
    send(std::move(grants), std::move(ends), std::move(updated));
    rest();
  }
  /// The request that follows from all that has happened.
  AllocateRequest ask() {
    rest();
    say(cluster, master, AllocationAvailable{});
    return cluster.last<AllocateRequest>();
  }
  /// Containers at any host that the ResourceManager has to give with this priority, as far as it was asked.
  std::int64_t asked_with(std::int32_t priority) {
    ask();
    std::int64_t count = 0;
    for (const auto& request : cluster.all<AllocateRequest>())
      for (const auto& each : request.asks)
        if (each.place == "*" && each.priority == priority) count = each.count;
    return count;
  }
  /// A map whose output reduces read.
  void end_map(std::int64_t container, const TaskAttemptId& id) {
    AttemptDone done{container, id, {}};
    done.place = map_output(id.task);
    say(child(container), master, done);
    answer({}, {ended(container)});
  }
  /// The maps that the reduce in this container knows of.
  std::vector<MapCompletion> completions_of(std::int64_t container, const TaskAttemptId& reduce) {
    say(child(container), master, GetMapCompletions{container, reduce, 0});
    return child(container).last<MapCompletions>().rows;
  }
  void expect_success() {
    BOOST_TEST_REQUIRE(client.count<JobFinished>() == 1);
    const auto end = client.last<JobFinished>();
    BOOST_TEST((end.status == JobStatus::succeeded), end.text);
  }

private:
  void send(std::vector<GrantedContainer> grants, std::vector<CompletedContainer> ends,
            std::vector<NodeUpdate> updated) {
    AllocateResponse response;
    response.response_id = ++last_response;
    response.allocated = std::move(grants);
    response.completed = std::move(ends);
    response.updated_nodes = std::move(updated);
    response.cluster_nodes = nodes;
    response.headroom = headroom;
    say(cluster, master, response);
  }
};

}  // namespace heddle::actors
