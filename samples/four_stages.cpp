// Four stages over two inputs: amount spent by the customers of each country.
//   four_stages [--master MASTER] FOLDER
// Writes FOLDER/orders (lines "customer TAB amount") and FOLDER/customers ("customer TAB country"), then runs
//
//   read_orders ----.
//                   join -> sum_by_country        (a join by customer, a sum by country)
//   read_customers -'
//
// and prints the sorted lines of FOLDER/totals: "austria 1617", "belgium 1650", "chile 1683".
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

namespace {

/// Prefixes each value with the kind of its record, so that the join can tell them apart.
void read_orders(heddle::TaskContext& task) {
  for (const auto& record : task.records()) task.emit(record.key, "order " + std::string{record.value});
}
HEDDLE_TASK(read_orders)

void read_customers(heddle::TaskContext& task) {
  for (const auto& record : task.records()) task.emit(record.key, "country " + std::string{record.value});
}
HEDDLE_TASK(read_customers)

/// Gets all records of a customer as one group; emits the total amount of the customer with the country as key.
void join(heddle::TaskContext& task) {
  for (auto& customer : task.groups()) {
    std::string country = "nowhere";
    std::int64_t amount = 0;
    for (std::string_view value : customer) {
      const std::string rest{value.substr(value.find(' ') + 1)};
      if (value.starts_with("country ")) country = rest;
      else amount += std::stoll(rest);
    }
    task.emit(country, amount);
  }
}
HEDDLE_TASK(join)

void sum_by_country(heddle::TaskContext& task) {
  for (auto& country : task.groups()) {
    std::int64_t sum = 0;
    for (std::string_view value : country) sum += std::stoll(std::string{value});
    task.emit(country.key(), sum);
  }
}
HEDDLE_TASK(sum_by_country)

void write_inputs(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::ofstream orders{folder / "orders"};
  for (int order = 0; order < 99; ++order) orders << "customer" << order * 7 % 33 << '\t' << order + 1 << '\n';
  std::ofstream customers{folder / "customers"};
  const std::vector<std::string> countries{"austria", "belgium", "chile"};
  for (std::size_t customer = 0; customer < 33; ++customer)
    customers << "customer" << customer << '\t' << countries[customer % 3] << '\n';
}

void print_totals(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  for (const auto& part : std::filesystem::directory_iterator{folder}) {
    std::ifstream file{part.path()};
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  for (auto& line : lines) {
    std::replace(line.begin(), line.end(), '\t', ' ');
    std::puts(line.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  heddle::Session session{argc, argv};
  if (session.arguments().size() != 1) {
    std::fputs("usage: four_stages [--master MASTER] FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = session.arguments().front();
  write_inputs(folder);
  // With --master yarn, paths without scheme are on the file system of the cluster.
  const std::string place = "file://" + std::filesystem::absolute(folder).string();
  const auto report =
      session.run(heddle::JobBuilder{"spending"}
                      .stage("read_orders", heddle::key_value_text(place + "/orders"), read_orders)
                      .stage("read_customers", heddle::key_value_text(place + "/customers"), read_customers)
                      .shuffle_stage("join", {.after = {"read_orders", "read_customers"}, .partitions = 3}, join)
                      .shuffle_stage("sum_by_country", {.after = "join", .partitions = 2}, sum_by_country)
                      .save_text(place + "/totals"));
  if (!report) {
    std::fprintf(stderr, "four_stages: %s\n", report.error().text.c_str());
    return 1;
  }
  print_totals(folder / "totals");
  return 0;
}
