// Goal: existing files of Spark and Hadoop users work unchanged, with comments, blanks and deprecated names. Method:
// whole realistic files; checks the values and the warnings, each once.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "config/files/settings_sources.hpp"
#include "config/files/topology_file.hpp"
#include "config/hadoop/fair_scheduler_xml.hpp"
#include "config/hadoop/hadoop_folder.hpp"
#include "config/hadoop/hadoop_xml.hpp"
#include "config/text/text_file.hpp"
#include "tests/support/scratch_folder.hpp"

namespace user_files_test {

namespace {

using namespace heddle;
using namespace heddle::config;

constexpr std::string_view spark_defaults = R"(#
# Licensed to nobody in particular. Example:
# spark.master                     spark://master:7077
# spark.executor.memory            512m
#

spark.master                     yarn
spark.eventLog.enabled           true
spark.eventLog.dir               hdfs://namenode:8021/directory
spark.serializer                 org.apache.spark.serializer.KryoSerializer
spark.driver.memory              5g
spark.executor.extraJavaOptions  -XX:+PrintGCDetails -Dkey=value -Dnumbers="one two three"
	spark.locality.wait=10s
spark.locality.wait.node : 2500ms
spark.locality.wait.process 1s
spark.dynamicAllocation.cachedExecutorIdleTimeout 30s
spark.task.maxFailures           8
spark.driver.maxResultSize       2g
spark.speculation.efficiency.enabled false
spark.speculation.efficiency.processRateMultiplier 0.5
spark.speculation.efficiency.longRunTaskFactor 4
spark.executor.decommission.killInterval 5
spark.executor.decommission.forceKillTimeout 2m
spark.storage.decommission.maxReplicationFailuresPerBlock 7
spark.reducer.maxSizeInFlight    96m
spark.shuffle.io.maxRetries      6
spark.shuffle.io.retryWait       15
! an exclamation mark begins a comment as well
spark.sql.shuffle.partitions     \
                                 400
not.a.spark.key                  ignored
)";

BOOST_AUTO_TEST_CASE(spark_defaults_as_users_write_them_work_and_the_rest_is_named_once) {
  const work::ScratchFolder folder;
  for (const bool is_windows : {false, true}) {
    std::string content{spark_defaults};
    if (is_windows)
      for (auto at = content.find('\n'); at != std::string::npos; at = content.find('\n', at + 2))
        content.insert(at, "\r");
    folder.write("spark-defaults.conf", content);
    SettingsRequest request;
    request.environment.spark_conf_folder = folder.path();
    request.working_folder = folder.path();
    const auto loaded = load_settings(request);
    BOOST_REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string{} : loaded.error().text));
    const auto text = [&](std::string_view key) { return loaded->settings.effective(key).text; };
    BOOST_TEST(text("heddle.locality.wait") == "10s");
    BOOST_TEST(text("heddle.locality.wait.node") == "2500ms");
    BOOST_TEST(loaded->settings.task_scheduler().failures_max == 8);
    BOOST_TEST(loaded->settings.driver().result_bytes_max == std::int64_t{2} << 30);
    BOOST_TEST(!loaded->settings.speculation().efficiency);
    BOOST_TEST(loaded->settings.speculation().decommission_kill_interval.count() == 5'000'000);
    BOOST_TEST(loaded->settings.driver().decommission_kill_wait.count() == 120'000'000);
    BOOST_TEST(loaded->settings.driver().output_move_failures_max == 7);
    BOOST_TEST(loaded->settings.speculation().process_rate_multiplier == 0.5);
    BOOST_TEST(loaded->settings.speculation().long_run_factor == 4.0);
    BOOST_TEST(loaded->settings.shuffle().in_flight_bytes_max == 96 << 20);
    BOOST_TEST(loaded->settings.shuffle().fetch_retries == 6);
    BOOST_TEST(loaded->settings.shuffle().retry_wait.count() == 15'000'000);
    BOOST_REQUIRE(loaded->warnings.size() == 1U);
    const auto& warning = loaded->warnings.front();
    for (const auto* key : {"spark.serializer", "spark.sql.shuffle.partitions", "spark.executor.extraJavaOptions",
                            "spark.dynamicAllocation.cachedExecutorIdleTimeout", "spark.locality.wait.process"})
      BOOST_TEST(warning.find(key) != std::string::npos, warning);
    for (const auto* key : {"not.a.spark.key", "spark.locality.wait,", "spark.locality.wait.node,"})
      BOOST_TEST((warning + ",").find(key) == std::string::npos, warning);
  }
}

BOOST_AUTO_TEST_CASE(heddle_toml_may_hold_its_settings_in_a_table_as_job_files_do) {
  const work::ScratchFolder folder;
  SettingsRequest request;
  request.working_folder = folder.path();
  for (const auto* content : {"\"heddle.locality.wait\" = \"7s\"\n", "[settings]\n\"heddle.locality.wait\" = \"7s\"\n",
                              "[settings.heddle.locality]\nwait = \"7s\"\n"}) {
    folder.write("heddle.toml", content);
    const auto loaded = load_settings(request);
    BOOST_REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string{} : loaded.error().text));
    BOOST_TEST(loaded->settings.effective("heddle.locality.wait").text == "7s");
  }
}

BOOST_AUTO_TEST_CASE(tries_of_a_job_file_count_where_local_names_none) {
  const auto tries = [](const char* master, std::vector<SettingEntry> of_job, std::vector<std::string> assignments) {
    SettingsRequest request;
    request.master = parse_master(master, 2).value();
    request.job_entries = std::move(of_job);
    request.assignments = std::move(assignments);
    return load_settings(request).value().settings.task_scheduler().failures_max;
  };
  const std::vector<SettingEntry> of_job{{"heddle.task.max_failures", "4", "job.toml:1:1"}};
  BOOST_TEST(tries("local[2]", of_job, {}) == 4);
  BOOST_TEST(tries("local[2,3]", of_job, {}) == 3);
  BOOST_TEST(tries("local[2]", of_job, {"heddle.task.max_failures=2"}) == 2);
  BOOST_TEST(tries("local[2]", {}, {}) == 1);
}

BOOST_AUTO_TEST_CASE(a_folder_of_hadoop_s_that_only_variables_name_is_named_as_not_read) {
  Environment environment;
  BOOST_TEST(unread_hadoop_folder(environment).empty());
  environment.hadoop_conf_folder = "/etc/hadoop";
  environment.hadoop_conf_variable = "YARN_CONF_DIR";
  BOOST_TEST(
      unread_hadoop_folder(environment) ==
      "YARN_CONF_DIR is set, but only --master yarn and a topology file read a Hadoop folder: add hadoop_conf = "
      "\"/etc/hadoop\" to the topology; heddle mapreduce reads a file of it with -conf /etc/hadoop/mapred-site.xml");
}

BOOST_AUTO_TEST_CASE(names_of_hosts_stay_within_their_folder) {
  for (const std::string name : {"../x", "a/b", ".", ".hidden", "-x", "a b", "resource_manager.ready"}) {
    const auto read = parse_topology_file("t", "[[host]]\nname = \"" + name + "\"\n");
    BOOST_REQUIRE_MESSAGE(!read.has_value(), name);
    BOOST_TEST(read.error().text.find("is not a host name") != std::string::npos, read.error().text);
  }
  BOOST_TEST(!parse_topology_file("t", "[[host]]\nname = \"" + std::string(201, 'a') + "\"\n").has_value());
  for (const std::string name : {"a1", "node-1.example.org", "rack_2"})
    BOOST_TEST(parse_topology_file("t", "[[host]]\nname = \"" + name + "\"\n").has_value());
}

// C-POOL-10: the pool file of Spark's folder is taken where no other is named, and only for FAIR.
BOOST_AUTO_TEST_CASE(the_pool_file_beside_spark_defaults_is_taken_when_none_is_named) {
  const work::ScratchFolder folder;
  folder.write("fairscheduler.xml", "<allocations><pool name='a'/></allocations>");
  SettingsRequest request;
  request.environment.spark_conf_folder = folder.path();
  request.working_folder = folder.path();
  const auto pool_file = [&request](std::vector<std::string> assignments) {
    request.assignments = std::move(assignments);
    const auto loaded = load_settings(request);
    BOOST_REQUIRE_MESSAGE(loaded.has_value(), (loaded ? std::string{} : loaded.error().text));
    return loaded->settings.task_scheduler().pool_file;
  };
  BOOST_TEST(pool_file({}).empty());
  BOOST_TEST(pool_file({"spark.scheduler.mode=FAIR"}) == folder.file("fairscheduler.xml"));
  BOOST_TEST(pool_file({"spark.scheduler.mode=FAIR", "spark.scheduler.allocation.file=other.xml"}) == "other.xml");
}

BOOST_AUTO_TEST_CASE(site_files_of_hadoop_are_read_with_all_that_stands_in_them) {
  const auto entries = parse_hadoop_xml("yarn-site.xml", R"(<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
<!--
  Site specific -- no: that would not be XML, so only one dash - here.
-->
<configuration>
  <property>
    <name>yarn.nodemanager.resource.memory-mb</name>
    <value>  8192 </value>
    <final>true</final>
    <description>Amount of physical memory &lt;MiB&gt;</description>
    <source>yarn-default.xml</source>
  </property>
  <property><name>yarn.nodemanager.aux-services</name><value>mapreduce_shuffle,
    spark_shuffle</value></property>
  <property><name>empty.value</name><value/></property>
  <property name="compact" value="1"/>
  <property><name>yarn.application.classpath</name><value><![CDATA[$HADOOP_CONF_DIR,a&b]]></value></property>
  <property><name>twice</name><value>first</value></property>
  <property><name>twice</name><value>last</value></property>
</configuration>
)");
  BOOST_REQUIRE_MESSAGE(entries.has_value(), (entries ? std::string{} : entries.error().text));
  const auto value = [&](std::string_view key) {
    std::string found = "none";
    for (const auto& entry : *entries)
      if (entry.key == key) found = entry.value;
    return found;
  };
  BOOST_TEST(value("yarn.nodemanager.resource.memory-mb") == "8192");
  BOOST_TEST(value("yarn.application.classpath") == "$HADOOP_CONF_DIR,a&b");
  BOOST_TEST(value("compact") == "1");
  BOOST_TEST(value("twice") == "last");
  BOOST_TEST(value("empty.value").empty());
  BOOST_TEST(entries->front().place == "yarn-site.xml:7");
  BOOST_TEST(entries->back().place == "yarn-site.xml:20");
}

BOOST_AUTO_TEST_CASE(a_file_without_end_is_no_file_of_settings) {
  const auto content = read_text_file("/dev/zero");
  BOOST_REQUIRE(!content.has_value());
  BOOST_TEST(content.error().text == "/dev/zero: larger than 16 MiB; configuration files are smaller");
}

BOOST_AUTO_TEST_CASE(a_queue_file_in_every_style_of_the_field_is_read) {
  const auto file = read_fair_scheduler_xml(R"(<?xml version="1.0"?>
<!-- every syntax that Hadoop's own documentation shows -->
<allocations>
  <queue name="analysts">
    <minResources>10000 mb,0vcores</minResources>
    <maxResources>vcores=40, memory-mb=90000</maxResources>
    <maxContainerAllocation>4096 mb, 4 vcores</maxContainerAllocation>
    <maxRunningApps>50</maxRunningApps>
    <weight>2.0</weight>
    <schedulingPolicy>fair</schedulingPolicy>
    <aclSubmitApps>alice,bob analysts</aclSubmitApps>
    <queue name="nightly"><maxAMShare>0.1</maxAMShare><schedulingPolicy>fifo</schedulingPolicy>
      <allowPreemptionFrom>false</allowPreemptionFrom></queue>
  </queue>
  <pool name="old_style"><minMaps>3</minMaps><maxResources>50.0% memory, 25 % cpu</maxResources></pool>
  <queue name="shared" type="parent">
    <maxChildResources>20%</maxChildResources>
    <minSharePreemptionTimeout>60</minSharePreemptionTimeout>
    <fairSharePreemptionThreshold>0.8</fairSharePreemptionThreshold>
  </queue>
  <user name="alice"><maxRunningApps>30</maxRunningApps></user>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queueMaxResourcesDefault>40000 mb,0vcores</queueMaxResourcesDefault>
  <queueMaxAMShareDefault>0.4</queueMaxAMShareDefault>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <queuePlacementPolicy>
    <rule name="specified" create="false"/>
    <rule name="nestedUserQueue" create="false"><rule name="primaryGroup" create="false"/></rule>
    <rule name="default" queue="analysts"/>
  </queuePlacementPolicy>
</allocations>
)",
                                            "fair-scheduler.xml");
  BOOST_REQUIRE_MESSAGE(file.has_value(), (file ? std::string{} : file.error().text));
  const auto queue = [&](std::string_view name) {
    const auto found =
        std::find_if(file->queues.begin(), file->queues.end(), [&](const auto& one) { return one.name == name; });
    BOOST_REQUIRE_MESSAGE(found != file->queues.end(), name);
    return *found;
  };
  BOOST_TEST(queue("root.analysts").weight == 2.0F);
  BOOST_TEST((queue("root.analysts").minimum.amount == Resource{10000, 0}));
  BOOST_TEST((queue("root.analysts").maximum->amount == Resource{90000, 40}));
  BOOST_TEST((queue("root.analysts.nightly").policy == SharePolicy::fifo));
  BOOST_TEST(!queue("root.analysts.nightly").is_preemptable);
  BOOST_TEST(queue("root.old_style").maximum->memory_fraction == 0.5);
  BOOST_TEST(queue("root.old_style").maximum->cores_fraction == 0.25);
  BOOST_TEST(queue("root.shared").is_parent);
  BOOST_TEST(queue("root.shared").minimum_share_timeout_ms.value_or(0) == 60'000);
  BOOST_TEST(file->running_applications_max_of_user.at("alice") == 30);
  BOOST_TEST((file->policy == SharePolicy::dominant_resource));
  BOOST_TEST(file->placement->size() == 3U);
}

std::string site(const std::vector<std::pair<std::string, std::string>>& properties) {
  std::string text = "<configuration>\n";
  for (const auto& [name, value] : properties)
    text += "<property><name>" + name + "</name><value>" + value + "</value></property>\n";
  return text + "</configuration>\n";
}

std::string value_of(const std::vector<SettingEntry>& entries, const std::string& key) {
  for (const auto& entry : entries)
    if (entry.key == key) return entry.value;
  return "-";
}

BOOST_AUTO_TEST_CASE(a_folder_of_hadoop_s_names_the_scheduler_and_its_file) {
  const std::string fair = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler";
  const work::ScratchFolder folder;
  BOOST_TEST((read_hadoop_folder(folder.path()).error().code == Errc::not_found));
  folder.write("capacity-scheduler.xml", "<configuration/>");
  folder.write("yarn-site.xml", site({{"yarn.acl.enable", "true"}}));
  auto read = read_hadoop_folder(folder.path());
  BOOST_REQUIRE(read);
  BOOST_TEST(value_of(read->settings, "heddle.resource_manager.scheduler") == "capacity");
  BOOST_TEST(value_of(read->settings, "heddle.resource_manager.queue_file") == folder.file("capacity-scheduler.xml"));
  BOOST_TEST(value_of(read->settings, "yarn.acl.enable") == "true");
  folder.write("yarn-site.xml", site({{"yarn.resourcemanager.scheduler.class", fair},
                                      {"yarn.scheduler.fair.allocation.file", "q.xml"}}));
  read = read_hadoop_folder(folder.path());
  BOOST_REQUIRE(read);
  BOOST_TEST(value_of(read->settings, "heddle.resource_manager.scheduler") == "fair");
  BOOST_TEST(value_of(read->settings, "yarn.scheduler.fair.allocation.file") == folder.file("q.xml"));
  folder.write("yarn-site.xml", site({{"yarn.resourcemanager.scheduler.class", "com.example.Own"}}));
  read = read_hadoop_folder(folder.path());
  BOOST_REQUIRE(!read);
  BOOST_TEST(read.error().text.find("yarn-site.xml: yarn.resourcemanager.scheduler.class: \"com.example.Own\"") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(what_heddle_does_not_honour_is_named_once_per_file) {
  const work::ScratchFolder folder;
  folder.write(
      "core-site.xml",
      site({{"hadoop.tmp.dir", "/tmp"}, {"hadoop.tmp.dir", "/var"}, {"net.topology.table.file.name", "racks"}}));
  folder.write("yarn-site.xml", site({{"yarn.nodemanager.resource.memory-mb", "-1"},
                                      {"yarn.nodemanager.local-dirs", "/data"},
                                      {"yarn.scheduler.maximum-allocation-mb", "${some.other}"},
                                      {"yarn.scheduler.minimum-allocation-mb", "512"}}));
  folder.write("racks", "h1 /r1\nh2\n# h3 /r3\n  h4\t/r4 \n");
  const auto read = read_hadoop_folder(folder.path());
  BOOST_REQUIRE(read);
  BOOST_TEST(read->settings.size() == 1U);
  BOOST_TEST((read->racks.rack_of == std::map<std::string, std::string, std::less<>>{{"h1", "/r1"}, {"h4", "/r4"}}));
  BOOST_TEST_REQUIRE(read->warnings.size() == 3U);
  BOOST_TEST(read->warnings[0].find("racks:2: ") != std::string::npos);
  BOOST_TEST(read->warnings[1].ends_with("core-site.xml: heddle ignores hadoop.tmp.dir"));
  BOOST_TEST(
      read->warnings[2].ends_with("yarn-site.xml: heddle ignores yarn.nodemanager.local-dirs, "
                                  "yarn.nodemanager.resource.memory-mb, yarn.scheduler.maximum-allocation-mb"));
}

BOOST_AUTO_TEST_CASE(mapred_site_gives_settings_under_old_and_new_names_and_one_notice_each) {
  const work::ScratchFolder folder;
  folder.write("mapred-site.xml", site({{"mapreduce.framework.name", "yarn"},
                                        {"mapred.job.tracker", "host:9001"},
                                        {"mapred.map.max.attempts", "2"},
                                        {"mapreduce.task.timeout", "5000"},
                                        {"mapreduce.map.memory.mb", "-1"},
                                        {"mapreduce.reduce.memory.mb", "2048"},
                                        {"mapreduce.job.ubertask.enable", "true"},
                                        {"io.sort.mb", "9"},
                                        {"mapreduce.task.io.sort.factor", "7"},
                                        {"mapreduce.job.reduces", "${some.other}"},
                                        {"mapreduce.jobhistory.address", "host:10020"}}));
  const auto read = read_hadoop_folder(folder.path());
  BOOST_REQUIRE(read);
  Settings settings;
  for (const auto& entry : read->settings)
    BOOST_REQUIRE(settings.set(entry.key, entry.value, Origin::job_file, entry.place).has_value());
  const auto section = settings.map_reduce();
  BOOST_TEST(section.framework == "yarn");
  BOOST_TEST(section.map_attempts_max == 2);
  BOOST_TEST((section.task_timeout == seconds(5)));
  BOOST_TEST(section.map_memory_mib == 0);
  BOOST_TEST(section.reduce_memory_mib == 2048);
  BOOST_TEST_REQUIRE(read->warnings.size() == 3U);
  BOOST_TEST(read->warnings[0].find("mapred-site.xml: mapred.job.tracker=host:9001 is not") != std::string::npos);
  BOOST_TEST(read->warnings[1].find("mapred-site.xml: mapreduce.job.ubertask.enable=true is") != std::string::npos);
  BOOST_TEST(read->warnings[2].ends_with(
      "mapred-site.xml: heddle ignores mapreduce.job.reduces, mapreduce.jobhistory.address, mapreduce.map.memory.mb"));
  BOOST_TEST(settings.shuffle().merge_width == 7);
  BOOST_TEST_REQUIRE(read->job_keys.size() == 2U);
  BOOST_TEST(read->job_keys[0].key == "mapreduce.task.io.sort.mb");
  BOOST_TEST(read->job_keys[0].value == "9");
  BOOST_TEST(read->job_keys[1].key == "mapreduce.task.io.sort.factor");
}

BOOST_AUTO_TEST_CASE(a_topology_s_own_words_count_more_than_hadoop_s_files) {
  const work::ScratchFolder folder;
  std::filesystem::create_directory(folder.file("conf"));
  folder.write("conf/yarn-site.xml",
               site({{"yarn.nodemanager.resource.memory-mb", "4096"}, {"yarn.nodemanager.resource.cpu-vcores", "6"}}));
  folder.write("racks", "h1 /from/table\nh2 /from/table\n");
  folder.write("topology.toml",
               "hadoop_conf = \"conf\"\nrack_table = \"racks\"\n[[host]]\nname = \"h1\"\n"
               "[[host]]\nname = \"h2\"\nrack = \"own\"\nmemory = \"1g\"\n[settings]\n\"yarn.acl.enable\" = true\n");
  const auto read = read_topology_file(folder.file("topology.toml"));
  BOOST_REQUIRE_MESSAGE(read, (read ? "" : read.error().text));
  BOOST_TEST(read->hosts[0].rack == "/from/table");
  BOOST_TEST((read->hosts[0].resource == Resource{4096, 6}));
  BOOST_TEST(read->hosts[1].rack == "/own");
  BOOST_TEST((read->hosts[1].resource == Resource{1024, 6}));
  BOOST_TEST(read->settings.back().key == "yarn.acl.enable");
}

}  // namespace

}  // namespace user_files_test
