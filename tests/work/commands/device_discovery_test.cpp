// Goal: an executor finds its devices; a result that does not match the request is an error.
// Method: real scripts in a scratch folder, and tables of script output.
#include "work/commands/device_discovery.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

namespace device_discovery_test {

namespace {

using namespace heddle;
using namespace heddle::work;

struct Scripts {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("heddle-devices-" + std::to_string(::getpid()));
  Scripts() { std::filesystem::create_directories(folder); }
  ~Scripts() { std::filesystem::remove_all(folder); }
  Scripts(const Scripts&) = delete;
  Scripts& operator=(const Scripts&) = delete;
  [[nodiscard]] std::string write(const std::string& name, const std::string& commands) const {
    const auto path = folder / name;
    std::ofstream{path} << "#!/bin/sh\n" << commands << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_devices_of_a_script_are_found_in_its_order) {
  const Scripts scripts;
  const auto gpus = scripts.write("gpus", R"(echo '{"name": "gpu", "addresses": ["1", "0", "7"]}')");
  const auto found = find_devices({{"gpu", 2, gpus, {}}, {"fpga", 1, "", {"f1", "f2"}}});
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST((*found == std::vector<DeviceAddresses>{{"gpu", {"1", "0", "7"}}, {"fpga", {"f1", "f2"}}}));
}

BOOST_AUTO_TEST_CASE(each_fault_of_a_script_has_its_error_text) {
  const Scripts scripts;
  const auto fault = [&](const std::string& commands) {
    const auto found = find_devices({{"gpu", 2, scripts.write("script", commands), {}}});
    return found ? std::string{} : found.error().text;
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  BOOST_TEST(contains(fault(R"(echo '{"name": "gpu", "addresses": ["0"]}')"),
                      "resource: gpu, with addresses: 0 is less than what the user requested: 2"));
  BOOST_TEST(contains(fault(R"(echo '{"name": "fpga", "addresses": ["0", "1"]}')"),
                      "returned resource name fpga and we were expecting gpu"));
  BOOST_TEST(contains(fault("exit 3"), "failed (exit code 3)"));
  BOOST_TEST(contains(fault("kill -9 $$"), "failed (signal 9)"));
  BOOST_TEST(contains(fault("yes gpu"), "prints too much"));
  for (const auto* printed :
       {"", "gpus", "[]", R"({"name": "gpu"})", R"({"addresses": ["0"]})", R"({"name": 1, "addresses": []})",
        R"({"name": "gpu", "addresses": [0, 1]})", R"({"name": "gpu", "addresses": "0"})"})
    BOOST_TEST(contains(fault("echo '" + std::string{printed} + "'"), "must print text like"));
  const auto missing = find_devices({{"gpu", 1, scripts.folder / "nothing", {}}});
  BOOST_REQUIRE(!missing.has_value());
  BOOST_TEST(contains(missing.error().text, "to discover gpu doesn't exist"));
}

BOOST_AUTO_TEST_CASE(a_script_that_prints_but_does_not_end_is_killed) {
  const Scripts scripts;
  const auto script = scripts.write("stays", R"(echo '{"name": "gpu", "addresses": ["0"]}'; exec sleep 1000 >&-)");
  DeviceSearch search{"gpu", 1, script, {}};
  search.patience = std::chrono::milliseconds{200};
  const auto found = find_devices({search});
  BOOST_REQUIRE(!found.has_value());
  BOOST_TEST(found.error().text.find("does not end in time") != std::string::npos);
}

}  // namespace device_discovery_test
