// Goal: site files decide how files are written, and what heddle cannot do is refused by its name.
#include <boost/test/unit_test.hpp>

#include "interop/hdfs/hdfs_file_system.hpp"

namespace heddle::interop::hdfs {
namespace {

Result<HdfsSettings> read(HadoopSite::Properties properties) {
  return read_hdfs_settings(HadoopSite{"/etc/hadoop", std::move(properties)}, "nn:8020");
}

bool fails(const Result<HdfsSettings>& result, Errc code, const std::string& text) {
  if (result) return false;
  BOOST_TEST_INFO(result.error().text);
  return result.error().code == code && result.error().text.find(text) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(site_files_decide_how_files_are_written) {
  const auto plain = read({});
  BOOST_REQUIRE(plain);
  BOOST_TEST(plain->name == "hdfs://nn:8020");
  BOOST_TEST(plain->umask == 022U);
  BOOST_TEST(!plain->replication);
  BOOST_TEST(!plain->block_bytes);
  BOOST_TEST(!plain->checksum);
  BOOST_TEST(!plain->uses_host_names);
  const auto set = read({{"dfs.replication", "2"},
                         {"dfs.blocksize", "64m"},
                         {"dfs.checksum.type", "CRC32"},
                         {"dfs.client.use.datanode.hostname", "true"},
                         {"dfs.client.socket-timeout", "1234"},
                         {"fs.permissions.umask-mode", "077"}});
  BOOST_REQUIRE(set);
  BOOST_TEST(set->replication.value() == 2U);
  BOOST_TEST(set->block_bytes.value() == 64U << 20);
  BOOST_TEST((set->checksum.value() == ChecksumKind{ChecksumType::crc32, 512}));
  BOOST_TEST(set->uses_host_names);
  BOOST_TEST(set->transfer.silence_ms == 1234);
  BOOST_TEST(set->umask == 077U);
}

BOOST_AUTO_TEST_CASE(a_umask_is_octal_or_names_what_it_leaves) {
  BOOST_TEST(read({{"fs.permissions.umask-mode", "u=rwx,g=rx,o="}})->umask == 027U);
  BOOST_TEST(read({{"fs.permissions.umask-mode", "a=rx"}})->umask == 0222U);
  for (const char* wrong : {"888", "u+w", "x=r", "u=q"})
    BOOST_TEST(fails(read({{"fs.permissions.umask-mode", wrong}}), Errc::usage, "fs.permissions.umask-mode"));
}

BOOST_AUTO_TEST_CASE(values_that_cannot_be_read_are_named) {
  BOOST_TEST(fails(read({{"dfs.replication", "0"}}), Errc::usage, "dfs.replication"));
  for (const char* wrong : {"", "0", "12x", "m", "9999999999999t", "-1"})
    if (*wrong != '\0') BOOST_TEST(fails(read({{"dfs.blocksize", wrong}}), Errc::usage, "dfs.blocksize"));
  BOOST_TEST(fails(read({{"dfs.checksum.type", "MD5"}}), Errc::usage, "dfs.checksum.type"));
  BOOST_TEST(fails(read({{"dfs.bytes-per-checksum", "0"}}), Errc::usage, "dfs.bytes-per-checksum"));
}

BOOST_AUTO_TEST_CASE(protected_transfer_is_refused_by_name) {
  BOOST_TEST(fails(read({{"dfs.data.transfer.protection", "privacy"}}), Errc::refused, "dfs.data.transfer.protection"));
  BOOST_TEST(fails(read({{"dfs.encrypt.data.transfer", "true"}}), Errc::refused, "dfs.encrypt.data.transfer"));
  BOOST_TEST(fails(read({{"hadoop.security.authentication", "kerberos"}}), Errc::refused, "erberos"));
}

}  // namespace heddle::interop::hdfs
