// Goal: an event that ended a task is in the file, a later master continues behind it, and a full disk ends the history
// only.
// Method: real files in a folder of the test; damaged and full ones.
#include "work/history/job_history_files.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iterator>

#include "tests/support/history_events.hpp"
#include "tests/support/scarcity.hpp"
#include "tests/support/scratch_folder.hpp"
#include "work/history/jhist_writer.hpp"
#include "work/history/settings_xml.hpp"

namespace heddle::work {
namespace job_history_files_test {
namespace {

using history::sample_job;
using ports::JobHistoryFormat;

constexpr JobHistoryFormat formats[] = {JobHistoryFormat::avro_json, JobHistoryFormat::avro_binary,
                                        JobHistoryFormat::classic};
const history::Event started = history::TaskStarted{history::sample_map, AttemptType::map, 5, "h"};
const history::Event ended = history::TaskFinished{history::sample_map, AttemptType::map, 6, {}, {}};

ports::JobHistoryFile file_in(const ScratchFolder& folder, JobHistoryFormat format) {
  return {sample_job, format, folder.file("deep/history"), "me", "word count_2", 99, {{"a.b", "<1 & 2>"}}};
}

std::string path_of(const ports::JobHistoryFile& file) { return file.folder + '/' + job_history_name(file); }

std::size_t events_in(const ports::JobHistory& histories, const ports::JobHistoryFile& file) {
  const auto content = histories.read(path_of(file));
  BOOST_REQUIRE(content.has_value());
  BOOST_TEST(content->fault == "");
  return content->events.size();
}

BOOST_AUTO_TEST_CASE(events_reach_the_file_when_a_task_ends_or_at_a_sync) {
  for (const auto format : formats) {
    const ScratchFolder folder;
    JobHistoryFiles histories;
    const auto file = file_in(folder, format);
    BOOST_REQUIRE(histories.begin(file).has_value());
    BOOST_TEST(events_in(histories, file) == 0U);
    BOOST_REQUIRE(histories.append(sample_job, {started}).has_value());
    BOOST_TEST(events_in(histories, file) == 0U);
    BOOST_REQUIRE(histories.append(sample_job, {ended}).has_value());
    BOOST_TEST(events_in(histories, file) == 2U);
    BOOST_REQUIRE(histories.append(sample_job, {started}).has_value());
    BOOST_REQUIRE(histories.sync(sample_job).has_value());
    BOOST_TEST(events_in(histories, file) == 3U);
    BOOST_REQUIRE(histories.append(sample_job, {started}).has_value());
    BOOST_REQUIRE(histories.close(sample_job).has_value());
    BOOST_TEST(events_in(histories, file) == 4U);
  }
}

BOOST_AUTO_TEST_CASE(the_files_have_the_names_of_hadoop) {
  const ScratchFolder folder;
  JobHistoryFiles histories;
  const auto settings = histories.begin(file_in(folder, JobHistoryFormat::avro_json));
  BOOST_REQUIRE(settings.has_value());
  BOOST_TEST(*settings == folder.file("deep/history/job_1700000000123_0007_conf.xml"));
  BOOST_TEST(folder.read("deep/history/job_1700000000123_0007_conf.xml") == settings_xml({{"a.b", "<1 & 2>"}}));
  BOOST_TEST(job_history_name(file_in(folder, JobHistoryFormat::avro_binary)) == "job_1700000000123_0007.jhist");
  BOOST_TEST(job_history_name(file_in(folder, JobHistoryFormat::classic)) ==
             "job_1700000000123_0007_99_me_word+count%5F2");
}

BOOST_AUTO_TEST_CASE(settings_are_a_configuration_file_of_hadoop) {
  BOOST_TEST(settings_xml({{"a", "<1 & \xff\x01\r\n>"}}) ==
             "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<configuration>\n"
             "<property><name>a</name><value>&lt;1 &amp; \xef\xbf\xbd\xef\xbf\xbd&#13;\n&gt;</value></property>\n"
             "</configuration>\n");
}

BOOST_AUTO_TEST_CASE(symbols_that_xml_cannot_have_are_replaced_in_names_and_values) {
  const std::string beside = "\xef\xbf\xbc\xef\xbe\xbf\xee\xbf\xbf";  // U+FFFC, U+FFBF, U+EFFF
  BOOST_TEST(settings_xml({{"\xef\xbf\xbe", "\xef\xbf\xbf" + beside + "\xef\xbf\xbe&"}}) ==
             settings_xml({{"\xef\xbf\xbd", "\xef\xbf\xbd" + beside + "\xef\xbf\xbd&"}}));
  BOOST_TEST(settings_xml({{"a", beside}}).find(beside) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(settings_have_each_key_once_with_its_last_value_and_no_secret) {
  BOOST_TEST(settings_xml({{"b", "1"},
                           {"fs.s3a.secret.key", "S1"},
                           {"my.Password", "S2"},
                           {"a", "2"},
                           {"SESSION_TOKEN", "S3"},
                           {"fs.azure.account.key.store", "S4"},
                           {"fs.s3a.bucket.server-side-encryption.key", "S5"},
                           {"hadoop.ssl.keystore.pass", "S6"},
                           {"db.credential", "S7"},
                           {"b", "3"}}) == settings_xml({{"a", "2"}, {"b", "3"}}));
}

BOOST_AUTO_TEST_CASE(no_key_that_hadoop_calls_sensitive_is_in_the_settings) {
  for (const char* key : {
           "client.secret",
           "client.password",
           "ssl.keystore.pass",
           "fs.s3a.server-side-encryption.key",
           "fs.s3a.server-side-encryption-key",
           "fs.s3a.server-side-encryption-algorithm",
           "fs.s3a.bucket.b.server-side-encryption.key",
           "fs.s3a.encryption.algorithm",
           "fs.s3a.encryption.key",
           "fs.s3a.secret.key",
           "fs.s3a.bucket.b.secret.key",
           "fs.s3a.session.key",
           "fs.s3a.bucket.b.session.key",
           "fs.s3a.session.token",
           "fs.s3a.bucket.b.session.token",
           "fs.azure.account.key.a.blob.core.windows.net",
           "fs.azure.account.oauth2.client.secret",
           "fs.azure.oauth2.client.endpoint",
           "fs.adl.oauth2.client.id",
           "fs.gs.encryption.key.hash",
           "fs.gs.encryption.mode",
           "fs.gs.proxy.address",
           "fs.gs.auth.service.account.private.key",
           "fs.gs.auth.service.account.private.key.id",
           "fs.gs.auth.service.account.json.keyfile",
           "google.cloud.auth.service.account.private.key",
           "my.credential",
           "dfs.webhdfs.oauth2.secret",
           "dfs.webhdfs.oauth2.password",
           "dfs.webhdfs.oauth2.access.token",
           "hadoop.security.sensitive-config-keys",
       })
    BOOST_TEST(settings_xml({{key, "hidden"}}) == settings_xml({}), key);
  const std::string shown = settings_xml(
      {{"fs.s3a.access.style", "S1"}, {"fs.gs.block.size", "S2"}, {"mapreduce.job.encrypted-intermediate-data", "S3"}});
  for (const char* value : {"S1", "S2", "S3"}) BOOST_TEST(shown.find(value) != std::string::npos, value);
}

BOOST_AUTO_TEST_CASE(the_settings_are_for_the_user_and_his_group_only) {
  using std::filesystem::perms;
  const ScratchFolder folder;
  JobHistoryFiles histories;
  const auto mask = ::umask(0);
  const auto settings = histories.begin(file_in(folder, JobHistoryFormat::avro_json));
  ::umask(mask);
  BOOST_REQUIRE(settings.has_value());
  BOOST_TEST((std::filesystem::status(*settings).permissions() ==
              (perms::owner_read | perms::owner_write | perms::group_read)));
}

BOOST_AUTO_TEST_CASE(a_later_master_reads_the_history_and_continues_behind_its_last_whole_event) {
  for (const auto format : {JobHistoryFormat::avro_json, JobHistoryFormat::avro_binary}) {
    const ScratchFolder folder;
    const auto file = file_in(folder, format);
    JobHistoryFiles first;
    BOOST_REQUIRE(first.begin(file).has_value());
    BOOST_REQUIRE(first.append(sample_job, {started, ended}).has_value());
    const auto text = folder.read("deep/history/job_1700000000123_0007.jhist");
    folder.write("deep/history/job_1700000000123_0007.jhist", text + std::string{"\x1a\x22", 2});
    JobHistoryFiles second;
    // The file keeps its format, whatever the second master prefers.
    const auto content = second.resume(file_in(folder, JobHistoryFormat::avro_json));
    BOOST_REQUIRE(content.has_value());
    BOOST_TEST((content->events == std::vector<history::Event>{started, ended}));
    BOOST_TEST(content->fault == "");
    BOOST_REQUIRE(second.append(sample_job, {ended}).has_value());
    BOOST_TEST(events_in(second, file) == 3U);
  }
}

BOOST_AUTO_TEST_CASE(an_earlier_master_that_still_runs_does_not_write_to_the_history_of_a_later_one) {
  for (const bool is_readable : {true, false}) {
    const ScratchFolder folder;
    const auto file = file_in(folder, JobHistoryFormat::avro_json);
    JobHistoryFiles first;
    BOOST_REQUIRE(first.begin(file).has_value());
    BOOST_REQUIRE(first.append(sample_job, {started, ended}).has_value());
    if (!is_readable) folder.write("deep/history/job_1700000000123_0007.jhist", "");
    JobHistoryFiles second;
    BOOST_REQUIRE(second.resume(file).has_value());
    BOOST_REQUIRE(first.append(sample_job, {ended, ended, ended}).has_value());
    BOOST_REQUIRE(second.append(sample_job, {ended}).has_value());
    BOOST_TEST(events_in(second, file) == (is_readable ? 3U : 1U));
    BOOST_TEST(std::distance(std::filesystem::directory_iterator{folder.file("deep/history")}, {}) == 2);
  }
}

BOOST_AUTO_TEST_CASE(a_later_master_without_a_readable_history_begins_one) {
  const ScratchFolder folder;
  const auto file = file_in(folder, JobHistoryFormat::avro_json);
  JobHistoryFiles histories;
  auto content = histories.resume(file);
  BOOST_REQUIRE(content.has_value());
  BOOST_TEST(content->fault == "");
  BOOST_TEST(events_in(histories, file) == 0U);
  folder.write("deep/history/job_1700000000123_0007.jhist", "something else\n");
  content = histories.resume(file);
  BOOST_REQUIRE(content.has_value());
  BOOST_TEST(content->fault == "line 1: expected 'Avro-Json' or 'Avro-Binary'");
  BOOST_REQUIRE(histories.append(sample_job, {ended}).has_value());
  BOOST_TEST(events_in(histories, file) == 1U);
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_reported_once_and_ends_the_history) {
  const ScratchFolder folder;
  const auto file = file_in(folder, JobHistoryFormat::avro_json);
  JobHistoryFiles histories;
  BOOST_REQUIRE(histories.begin(file).has_value());
  BOOST_REQUIRE(histories.append(sample_job, {ended}).has_value());
  {
    const FullDisk full{jhist_header(JhistEncoding::json).size() + 400};
    const auto failed = histories.append(sample_job, {ended, ended});
    BOOST_REQUIRE(!failed);
    BOOST_TEST(failed.error().text.starts_with("the history of job_1700000000123_0007 ends here: cannot write '"));
  }
  BOOST_TEST(histories.append(sample_job, {ended}).has_value());
  BOOST_TEST(histories.sync(sample_job).has_value());
  BOOST_TEST(histories.close(sample_job).has_value());
  BOOST_TEST(events_in(histories, file) >= 1U);
}

BOOST_AUTO_TEST_CASE(a_job_without_a_history_writes_nothing) {
  JobHistoryFiles histories;
  BOOST_TEST(histories.append(sample_job, {ended}).has_value());
  BOOST_TEST(histories.sync(sample_job).has_value());
  BOOST_TEST(histories.close(sample_job).has_value());
  const ScratchFolder folder;
  folder.write("deep", "a file");
  BOOST_TEST(!histories.begin(file_in(folder, JobHistoryFormat::avro_json)).has_value());
  BOOST_TEST(!histories.read(folder.file("none")).has_value());
}

}  // namespace
}  // namespace job_history_files_test
}  // namespace heddle::work
