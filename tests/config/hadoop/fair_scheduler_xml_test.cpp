// Goal: a fair-scheduler.xml for Hadoop has the same meaning here, and a wrong one is refused with its line. Method:
// the numbered cases of the YARN specification: whole files, and a table of amounts.
#include "config/hadoop/fair_scheduler_xml.hpp"

#include <boost/test/unit_test.hpp>

namespace heddle::config {
namespace fair_scheduler_xml_test {
namespace {

Result<FairSchedulerFile> read(const std::string& inside) {
  return read_fair_scheduler_xml("<?xml version=\"1.0\"?>\n<allocations>\n" + inside + "</allocations>",
                                 "fair-scheduler.xml");
}

const FairQueueSettings& queue(const FairSchedulerFile& file, const std::string& name) {
  for (const FairQueueSettings& each : file.queues)
    if (each.name == name) return each;
  BOOST_FAIL("no queue " << name);
  return file.queues.front();
}

std::string text(const std::optional<ConfiguredResource>& resource, const Resource& cluster = {}) {
  if (!resource) return "none";
  const Resource amount = resource->of(cluster);
  return std::to_string(amount.memory_mib) + "/" + std::to_string(amount.cores);
}

/// The file of cases 118 and 119; `tag` is the element of a queue.
std::string whole_file(const std::string& tag) {
  const auto named = [&](const char* name, const std::string& inside, const std::string& more = "") {
    return "<" + tag + " name=\"" + name + "\"" + more + ">" + inside + "</" + tag + ">\n";
  };
  return named("queueA", "<minResources>1024mb,0vcores</minResources><maxResources>2048mb,10vcores</maxResources>") +
         named("queueB",
               "<minResources>2048mb,0vcores</minResources><maxResources>5120mb,110vcores</maxResources>"
               "<aclAdministerApps>alice,bob admins</aclAdministerApps><schedulingPolicy>fair</schedulingPolicy>") +
         named("queueC", "<minResources>5120mb,0vcores</minResources><aclSubmitApps>alice,bob admins</aclSubmitApps>") +
         named("queueD", "<maxRunningApps>3</maxRunningApps><maxAMShare>0.4</maxAMShare>") +
         named("queueE", "<minSharePreemptionTimeout>60</minSharePreemptionTimeout>") +
         named("queueF", "<maxChildResources>2048mb,64vcores</maxChildResources>", " type=\"parent\"") +
         named("queueG",
               "<maxChildResources>2048mb,64vcores</maxChildResources><fairSharePreemptionTimeout>120</"
               "fairSharePreemptionTimeout>"
               "<minSharePreemptionTimeout>50</minSharePreemptionTimeout>"
               "<fairSharePreemptionThreshold>0.6</fairSharePreemptionThreshold>"
               "<maxContainerAllocation>vcores=16, memory-mb=512, x=10</maxContainerAllocation>" +
                   named("queueH",
                         "<fairSharePreemptionTimeout>180</fairSharePreemptionTimeout>"
                         "<minSharePreemptionTimeout>40</minSharePreemptionTimeout>"
                         "<fairSharePreemptionThreshold>0.7</fairSharePreemptionThreshold>"
                         "<maxContainerAllocation>1024mb,8vcores</maxContainerAllocation>")) +
         "<queueMaxResourcesDefault>4096mb,100vcores</queueMaxResourcesDefault>"
         "<queueMaxAppsDefault>15</queueMaxAppsDefault><userMaxAppsDefault>5</userMaxAppsDefault>"
         "<queueMaxAMShareDefault>0.5</queueMaxAMShareDefault>"
         "<user name=\"user1\"><maxRunningApps>10</maxRunningApps></user>"
         "<defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>"
         "<defaultFairSharePreemptionTimeout>300</defaultFairSharePreemptionTimeout>"
         "<defaultFairSharePreemptionThreshold>0.4</defaultFairSharePreemptionThreshold>"
         "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fair_scheduler_xml)

// C-Y-118.
BOOST_AUTO_TEST_CASE(every_element_of_a_file_is_taken) {
  const Result<FairSchedulerFile> read_file = read(whole_file("queue"));
  BOOST_TEST_REQUIRE(read_file.has_value());
  const FairSchedulerFile& file = *read_file;
  BOOST_TEST(text(file.maximum_of_queues) == "4096/100");
  BOOST_TEST(text(queue(file, "root.queueA").maximum) == "2048/10");
  BOOST_TEST(text(queue(file, "root.queueA").minimum) == "1024/0");
  BOOST_TEST(text(queue(file, "root.queueB").maximum) == "5120/110");
  BOOST_TEST(text(queue(file, "root.queueB").minimum) == "2048/0");
  BOOST_TEST((queue(file, "root.queueB").policy == SharePolicy::fair));
  BOOST_TEST(queue(file, "root.queueB").administrators == "alice,bob admins");
  BOOST_TEST(text(queue(file, "root.queueC").minimum) == "5120/0");
  BOOST_TEST(text(queue(file, "root.queueC").maximum) == "none");
  BOOST_TEST(queue(file, "root.queueC").submitters == "alice,bob admins");
  BOOST_TEST(queue(file, "root.queueD").running_applications_max.value() == 3);
  BOOST_TEST(queue(file, "root.queueD").master_share_max.value() == 0.4F);
  BOOST_TEST(queue(file, "root.queueE").minimum_share_timeout_ms.value() == 60000);
  BOOST_TEST(queue(file, "root.queueF").is_parent);
  BOOST_TEST(text(queue(file, "root.queueF").maximum_of_children) == "2048/64");
  const FairQueueSettings& parent = queue(file, "root.queueG");
  BOOST_TEST(text(parent.maximum_of_children) == "2048/64");
  BOOST_TEST(parent.fair_share_timeout_ms.value() == 120000);
  BOOST_TEST(parent.minimum_share_timeout_ms.value() == 50000);
  BOOST_TEST(parent.fair_share_threshold.value() == 0.6F);
  BOOST_TEST(text(parent.maximum_container) == "512/16");
  const FairQueueSettings& child = queue(file, "root.queueG.queueH");
  BOOST_TEST(child.fair_share_timeout_ms.value() == 180000);
  BOOST_TEST(child.minimum_share_timeout_ms.value() == 40000);
  BOOST_TEST(child.fair_share_threshold.value() == 0.7F);
  BOOST_TEST(text(child.maximum_container) == "1024/8");
  BOOST_TEST(!queue(file, "root.queueA").fair_share_timeout_ms.has_value());
  BOOST_TEST(!queue(file, "root.queueA").fair_share_threshold.has_value());
  BOOST_TEST(!queue(file, "root.queueA").policy.has_value());
  BOOST_TEST(file.fair_share_timeout_ms == 300000);
  BOOST_TEST(file.minimum_share_timeout_ms == 120000);
  BOOST_TEST(file.fair_share_threshold == 0.4F);
  BOOST_TEST(file.running_applications_max_of_queues == 15);
  BOOST_TEST(file.running_applications_max_of_users == 5);
  BOOST_TEST(file.running_applications_max_of_user.at("user1") == 10);
  BOOST_TEST((file.policy == SharePolicy::dominant_resource));
  std::size_t leaves = 0;
  for (const FairQueueSettings& each : file.queues) leaves += each.is_parent ? 0 : 1;
  BOOST_TEST(leaves == 6U);
}

// C-Y-119: the deprecated element names.
BOOST_AUTO_TEST_CASE(pools_are_queues_and_old_names_count) {
  const Result<FairSchedulerFile> old = read(
      "<pool name=\"queueA\"><minResources>1024mb,0vcores</minResources></pool>"
      "<pool name=\"queueB\"><minResources>2048mb,0vcores</minResources></pool>"
      "<pool name=\"queueC\"/><pool name=\"queueD\"><maxRunningApps>3</maxRunningApps></pool>"
      "<pool name=\"queueE\"><minSharePreemptionTimeout>60</minSharePreemptionTimeout>"
      "<fairSharePreemptionThreshold>.3</fairSharePreemptionThreshold></pool>"
      "<queueMaxAppsDefault>15</queueMaxAppsDefault><userMaxAppsDefault>5</userMaxAppsDefault>"
      "<user name=\"user1\"><maxRunningApps>10</maxRunningApps></user>"
      "<defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>"
      "<fairSharePreemptionTimeout>300</fairSharePreemptionTimeout>"
      "<defaultFairSharePreemptionThreshold>.6</defaultFairSharePreemptionThreshold>");
  BOOST_TEST_REQUIRE(old.has_value());
  BOOST_TEST(old->queues.size() == 5U);
  BOOST_TEST(text(queue(*old, "root.queueB").minimum) == "2048/0");
  BOOST_TEST(queue(*old, "root.queueD").running_applications_max.value() == 3);
  BOOST_TEST(queue(*old, "root.queueE").minimum_share_timeout_ms.value() == 60000);
  BOOST_TEST(queue(*old, "root.queueE").fair_share_threshold.value() == 0.3F);
  BOOST_TEST(old->fair_share_timeout_ms == 300000);
  BOOST_TEST(old->minimum_share_timeout_ms == 120000);
  BOOST_TEST(old->fair_share_threshold == 0.6F);
  BOOST_TEST(read(whole_file("pool"))->queues.size() == read(whole_file("queue"))->queues.size());
}

// C-Y-121, C-Y-122, C-Y-123, C-Y-156.
BOOST_AUTO_TEST_CASE(wrong_files_are_refused_with_their_line) {
  const std::pair<const char*, const char*> rows[] = {
      {"C-Y-121", "<queue name=\"root\"/>\n<queue name=\"other\"/>"},
      {"C-Y-121", "<queue name=\"parent1.child1\"/>"},
      {"C-Y-121", "<queue name=\"      \"/>"},
      {"C-Y-121", "<queue name=\"\xc2\xa0\xc2\xa0\"/>"},
      {"C-Y-121", "<queue name=\"\"/>"},
      {"C-Y-122", "<queue name=\"parent\" type=\"parent\"><reservation></reservation></queue>"},
      {"C-Y-122", "<queue name=\"parent\"><reservation></reservation><queue name=\"child\"/></queue>"},
      {"C-Y-123", "<defaultQueueSchedulingPolicy>fifo</defaultQueueSchedulingPolicy>"},
      {"C-Y-156", "<queuePlacementPolicy><rule name=\"default\"/><rule name=\"user\"/></queuePlacementPolicy>"},
      {"C-Y-156", "<queuePlacementPolicy><rule name=\"specified\"/></queuePlacementPolicy>"},
  };
  for (const auto& [id, inside] : rows) {
    const Result<FairSchedulerFile> file = read(inside);
    BOOST_TEST_CONTEXT(id << " " << inside) {
      BOOST_TEST_REQUIRE(!file.has_value());
      BOOST_TEST(file.error().text.find("fair-scheduler.xml:") == 0U);
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_and_files_without_a_bottom_are_refused) {
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<queue name=\"a\">";
  for (int i = 0; i < 200'000; ++i) deep += "</queue>";
  for (const auto& inside : {std::string{"<queue name=\"a\"><weight>nan</weight></queue>"},
                             std::string{"<queue name=\"a\"><weight>inf</weight></queue>"},
                             std::string{"<queueMaxAMShareDefault>-nan</queueMaxAMShareDefault>"}, deep}) {
    const Result<FairSchedulerFile> file = read(inside);
    BOOST_TEST_REQUIRE(!file.has_value());
    BOOST_TEST(file.error().text.find("fair-scheduler.xml:") == 0U);
  }
}

// C-Y-124, C-Y-125, C-Y-126, C-Y-127.
BOOST_AUTO_TEST_CASE(amounts_are_read_in_every_style) {
  struct Row {
    const char* id;
    const char* written;
    const char* meant;
  };
  const Resource cluster{10240, 4};
  const Row rows[] = {
      {"C-Y-124", "5120 mb 2 vcores", "5120/2"},
      {"C-Y-124", "2 vcores, 5120 mb", "5120/2"},
      {"C-Y-124", "2 vcores,5120 mb", "5120/2"},
      {"C-Y-124", "5120.3 mb, 2.35 vcores", "5120/2"},
      {"C-Y-124", "2vcores,5120mb", "5120/2"},
      {"C-Y-124", "5120 MB, 2 VCores", "5120/2"},
      {"C-Y-125", "50% memory, 100% cpu", "5120/4"},
      {"C-Y-125", " 100% cpu, 50% memory", "5120/4"},
      {"C-Y-125", "10.9% memory, 50.6% cpu", "1116/2"},
      {"C-Y-125", "50%", "5120/2"},
      {"C-Y-126", "vcores=2, memory-mb=5120", "5120/2"},
      {"C-Y-126", "memory-mb=5120 ,  vcores = 2 , test1 = 4", "5120/2"},
      {"C-Y-127", "vcores=75%, memory-mb=40%", "4096/3"},
      {"C-Y-127", "vcores=75%", "10240/3"},
  };
  for (const Row& row : rows) {
    const Result<ConfiguredResource> read = read_configured_resource(row.written, unlimited);
    BOOST_TEST_CONTEXT(row.id << " " << row.written) {
      BOOST_TEST_REQUIRE(read.has_value());
      BOOST_TEST(text(*read, cluster) == row.meant);
    }
  }
  // A resource that the new style omits has the default of its element: no limit, or zero.
  BOOST_TEST((read_configured_resource("memory-mb=5120", unlimited)->of(cluster) == Resource{5120, unlimited.cores}));
  BOOST_TEST((read_configured_resource("memory-mb=5120", Resource{})->of(cluster) == Resource{5120, 0}));
  // Other resources keep their names as written.
  const auto others = read_configured_resource("yarn.io/gpu=2, memory-mb=5120, My-License = 7", unlimited);
  BOOST_TEST_REQUIRE(others.has_value());
  BOOST_TEST((others->others == std::vector<ResourceAmount>{{"yarn.io/gpu", 2}, {"My-License", 7}}));
}

// C-Y-127 with another resource type. Answers of Hadoop's FairSchedulerConfiguration for a cluster with 7 of test1: as
// a maximum, and as a minimum. -1: no limit.
BOOST_AUTO_TEST_CASE(a_third_kind_is_bounded_by_each_way_of_writing) {
  struct Row {
    const char* written;
    std::int64_t of_maximum;
    std::int64_t of_minimum;
  };
  const Row rows[] = {{"5120 mb, 2 vcores", 0, 0},
                      {"50%", 3, 3},
                      {"50% memory, 100% cpu", 0, 0},
                      {"vcores=2, memory-mb=5120", -1, 0},
                      {"memory-mb=5120, vcores=2,", -1, 0},
                      {"memory-mb=+5, vcores=2", -1, 0},
                      {"memory-mb=5120, vcores=2, test1=4", 4, 4},
                      {"test1=1,test1=2", 2, 2},
                      {"vcores=75%, memory-mb=40.%", 7, 7},
                      {"vcores=75%, memory-mb=40%, test1=25%", 1, 1},
                      {"test1 = 50 %", 3, 3}};
  for (const auto& [written, of_maximum, of_minimum] : rows) {
    BOOST_TEST_CONTEXT(written) {
      const auto maximum = read_configured_resource(written, unlimited);
      const auto minimum = read_configured_resource(written, Resource{});
      BOOST_REQUIRE((maximum && minimum));
      BOOST_TEST(maximum->of_kind("test1", 7).value_or(-1) == of_maximum);
      BOOST_TEST(minimum->of_kind("test1", 7).value_or(-1) == of_minimum);
    }
  }
  BOOST_TEST(
      (read_configured_resource("vcores=3000000000,memory-mb=1", unlimited)->amount == Resource{1, 2'147'483'647}));
}

// C-Y-128, C-Y-129, C-Y-130.
BOOST_AUTO_TEST_CASE(amounts_that_cannot_be_read_are_errors) {
  const std::pair<const char*, const char*> rows[] = {
      {"C-Y-128", "1024"},
      {"C-Y-128", "1024mb"},
      {"C-Y-128", "1024vcores"},
      {"C-Y-128", "1o24vc0res"},
      {"C-Y-129", "50% cpu, 1024 mb"},
      {"C-Y-129", "95%, 50% memory"},
      {"C-Y-129", "50% memory, 2 vcores"},
      {"C-Y-129", "50% memory"},
      {"C-Y-129", "50% cpu"},
      {"C-Y-129", "vcores=75%, memory-mb=4096"},
      {"C-Y-130", "1024 mb, 2 4 vcores"},
      {"C-Y-130", "1024 mb, 2 vcores, 1024 mb"},
      {"C-Y-130", "-10% memory, 50% cpu"},
      {"C-Y-130", "-1024 mb, 2 vcores"},
      {"C-Y-130", "memory-mb=-1024, vcores=2"},
      {"other kinds", "memory-mb=1024, vcores=2, yarn.io/gpu=-1"},
      {"other kinds", "memory-mb=1024, vcores=2, yarn.io/gpu=1G"},
      {"other kinds", "memory-mb=1024, vcores=2, yarn.io/gpu=50%"},
      {"other kinds", "memory-mb=1024, vcores=2, yarn.io/gpu"},
      {"other kinds", "memory-mb=1024, vcores=2, my gpu=1"},
      {"other kinds", "memory-mb=1024, cores=2"},
      {"other kinds", "memory-mb=1024, Vcores=2"},
      {"other kinds", "memory-mb=1024, vcores=2.5"},
      {"other kinds", "memory-mb=5120,, vcores=2"},
      {"other kinds", "memory-mb=5120, vcores==2"},
      {"other kinds", "memory-mb=9223372036854775808"},
      {"other kinds", "memory-mb=inf, vcores=2"},
      {"other kinds", "vcores = 75 % , memory-mb=x40%"},
      {"other kinds", "vcores=-75%"},
      {"other kinds", "vcores=75%%"},
      {"other kinds", "vcores=50% cpu, memory-mb=5%"},
      {"other kinds", "vcores=1e1%"},
      {"other kinds", "=5"},
      {"other kinds", "memory=1024, vcores=2"},
  };
  for (const auto& [id, written] : rows) {
    const Result<ConfiguredResource> read = read_configured_resource(written, unlimited);
    BOOST_TEST_CONTEXT(id << " " << written) {
      BOOST_TEST_REQUIRE(!read.has_value());
      BOOST_TEST(read.error().text.find("cannot parse") == 0U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fair_scheduler_xml_test
}  // namespace heddle::config
