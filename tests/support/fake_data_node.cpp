#include "tests/support/fake_data_node.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "interop/hdfs/checksum.hpp"
#include "interop/hdfs/packet.hpp"
#include "model/assert.hpp"

namespace heddle::tests {

namespace proto = interop::proto;
namespace hdfs = interop::hdfs;

void FakeReplicas::put(const std::string& uuid, std::uint64_t block, std::string bytes) {
  const std::lock_guard lock{mutex_};
  replicas_[{uuid, block}] = std::move(bytes);
}

std::string FakeReplicas::get(const std::string& uuid, std::uint64_t block) const {
  const std::lock_guard lock{mutex_};
  const auto found = replicas_.find({uuid, block});
  return found == replicas_.end() ? std::string{} : found->second;
}

bool FakeReplicas::has(const std::string& uuid, std::uint64_t block) const {
  const std::lock_guard lock{mutex_};
  return replicas_.count({uuid, block}) != 0;
}

/// One connection: operations until the client closes it or a fault does.
class FakeDataNode::Conversation {
public:
  Conversation(FakeDataNode& node, int socket) : node_{node}, socket_{socket} {}

  void run() {
    while (true) {
      const auto head = receive(3);
      if (!head || head->substr(0, 2) != std::string("\x00\x1c", 2)) return;
      ++node_.operations_;
      fault_ = node_.next_fault();
      if (fault_ == DataNodeFault::closes) return;
      const auto message = receive_message();
      if (!message) return;
      if (fault_ == DataNodeFault::is_silent) return wait_for_end();
      if (fault_ == DataNodeFault::garbage) {
        send(std::string(40, '\x01'));
        return;
      }
      const bool goes_on = (*head)[2] == 81 ? serve_read(*message) : (*head)[2] == 80 && serve_write(*message);
      if (!goes_on) return;
    }
  }

private:
  std::optional<std::string> receive(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t done = 0; done < size;) {
      const auto got = ::recv(socket_, bytes.data() + done, size - done, 0);
      if (got <= 0) return std::nullopt;
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }
  std::optional<std::string> receive_message() {
    std::string prefix;
    while (true) {
      const auto byte = receive(1);
      if (!byte) return std::nullopt;
      prefix += *byte;
      const auto length = hdfs::read_delimited_length(prefix);
      if (!length) return std::nullopt;
      if (*length) return receive((*length)->message_bytes);
    }
  }
  bool send(const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
      const auto sent = ::send(socket_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      done += static_cast<std::size_t>(sent);
    }
    return true;
  }
  template <class Message>
  bool send_message(const Message& message) {
    std::string bytes;
    hdfs::append_delimited(bytes, message.SerializeAsString());
    return send(bytes);
  }
  void wait_for_end() {
    while (receive(1)) {}
  }
  bool respond(proto::TransferStatus status, const std::string& bad_link = {}) {
    proto::BlockOperationResponse response;
    response.set_status(status);
    if (!bad_link.empty()) response.set_first_bad_link(bad_link);
    response.set_message("a fault of the test");
    return send_message(response) && status == proto::TRANSFER_SUCCESS;
  }

  bool serve_read(const std::string& message) {
    proto::ReadBlockOperation request;
    HEDDLE_ASSERT(request.ParseFromString(message), "the client sent no ReadBlockOperation");
    const auto block = request.header().base().block().block_id();
    if (fault_ == DataNodeFault::token_expired) return respond(proto::TRANSFER_ERROR_ACCESS_TOKEN);
    if (fault_ == DataNodeFault::refuses || !node_.replicas_.has(node_.uuid_, block))
      return respond(proto::TRANSFER_ERROR);
    const auto content = node_.replicas_.get(node_.uuid_, block);
    const std::uint64_t begin = request.offset() / chunk * chunk;
    const std::uint64_t end =
        std::min<std::uint64_t>(content.size(), (request.offset() + request.length() + chunk - 1) / chunk * chunk);
    proto::BlockOperationResponse response;
    response.set_status(proto::TRANSFER_SUCCESS);
    if (fault_ != DataNodeFault::omits_kind) {
      response.mutable_read_checksum()->mutable_checksum()->set_type(proto::CHECKSUM_CRC32C);
      response.mutable_read_checksum()->mutable_checksum()->set_bytes_per_checksum(chunk);
      response.mutable_read_checksum()->set_chunk_offset(begin);
    }
    if (!send_message(response) || !send_packets(content, begin, end)) return false;
    const auto bytes = receive_message();
    proto::ClientReadStatus status;
    if (!bytes || !status.ParseFromString(*bytes)) return false;
    if (status.status() == proto::TRANSFER_CHECKSUM_OK) ++node_.checksums_confirmed_;
    return true;
  }

  bool send_packets(const std::string& content, std::uint64_t begin, std::uint64_t end) {
    const bool has_checksums = fault_ != DataNodeFault::omits_kind;
    const hdfs::ChecksumKind kind{has_checksums ? hdfs::ChecksumType::crc32c : hdfs::ChecksumType::none, chunk};
    std::int64_t number = 0;
    for (; begin < end; ++number) {
      if (number == 2 && fault_ == DataNodeFault::drops) return false;
      if (number == 2 && fault_ == DataNodeFault::stalls) {
        wait_for_end();
        return false;
      }
      if (number == 2 && fault_ == DataNodeFault::ends_early) break;
      auto data = content.substr(begin, std::min<std::uint64_t>(end - begin, 64 * chunk));
      hdfs::PacketHeader header;
      header.offset = static_cast<std::int64_t>(begin);
      header.number = number == 1 && fault_ == DataNodeFault::misnumbers ? 7 : number;
      header.data_bytes = static_cast<std::int32_t>(data.size());
      std::string bytes;
      hdfs::append_packet_header(bytes, header, kind.bytes_for(data.size()));
      if (number == 1 && fault_ == DataNodeFault::oversizes) bytes[0] = '\x40';
      std::string checksums(kind.bytes_for(data.size()), '\0');
      hdfs::write_checksums(kind, data, checksums.data());
      begin += data.size();
      if (number >= 1 && fault_ == DataNodeFault::corrupts) data[data.size() / 2] ^= 1;
      if (!send(bytes + checksums + data)) return false;
    }
    hdfs::PacketHeader last;
    last.offset = static_cast<std::int64_t>(begin);
    last.number = number;
    last.is_last = true;
    std::string bytes;
    hdfs::append_packet_header(bytes, last, 0);
    return send(bytes);
  }

  bool serve_write(const std::string& message) {
    proto::WriteBlockOperation request;
    HEDDLE_ASSERT(request.ParseFromString(message), "the client sent no WriteBlockOperation");
    if (request.pipeline_size() != static_cast<std::uint32_t>(request.targets_size()) + 1) ++node_.wrong_packets_;
    if (fault_ == DataNodeFault::refuses) return respond(proto::TRANSFER_ERROR);
    if (fault_ == DataNodeFault::bad_link && request.targets_size() > 0) {
      const auto& bad = request.targets(request.targets_size() - 1).id();
      return respond(proto::TRANSFER_ERROR, bad.ip_address() + ':' + std::to_string(bad.transfer_port()));
    }
    if (!respond(proto::TRANSFER_SUCCESS)) return false;
    const hdfs::ChecksumKind kind{static_cast<hdfs::ChecksumType>(request.requested_checksum().type()),
                                  request.requested_checksum().bytes_per_checksum()};
    std::string content;
    for (std::int64_t number = 0;;) {
      const auto header = receive_packet(kind, content, number);
      if (!header) return false;
      if (header->number == hdfs::heartbeat_number) {
        ++node_.heartbeats_;
        if (!acknowledge(hdfs::heartbeat_number, request)) return false;
        continue;
      }
      if (number == 2 && fault_ == DataNodeFault::drops) return false;
      const auto block = request.header().base().block().block_id();
      if (header->is_last) {
        if (header->must_sync) ++node_.synced_blocks_;
        node_.replicas_.put(node_.uuid_, block, content);
        for (const auto& target : request.targets()) node_.replicas_.put(target.id().uuid(), block, content);
      }
      if (fault_ != DataNodeFault::acks_nothing && !(fault_ == DataNodeFault::stalls && number >= 2))
        if (!acknowledge(fault_ == DataNodeFault::acks_ahead ? number + 5 : number, request)) return false;
      ++number;
      // The real one closes the connection after a written block, too.
      if (header->is_last && fault_ != DataNodeFault::acks_nothing) return false;
    }
  }

  bool acknowledge(std::int64_t number, const proto::WriteBlockOperation& request) {
    proto::PipelineAck ack;
    ack.set_sequence(number);
    for (int each = 0; each <= request.targets_size(); ++each)
      ack.add_replies(fault_ == DataNodeFault::acks_errors ? proto::TRANSFER_ERROR : proto::TRANSFER_SUCCESS);
    return send_message(ack);
  }

  std::optional<hdfs::PacketHeader> receive_packet(const hdfs::ChecksumKind& kind, std::string& content,
                                                   std::int64_t number) {
    const auto first = receive(hdfs::packet_lengths_bytes);
    if (!first) return std::nullopt;
    const auto lengths = hdfs::read_packet_lengths(*first);
    HEDDLE_ASSERT(lengths.has_value(), "the client sent a packet beyond the bounds");
    const auto head = receive(lengths->header_bytes);
    const auto body = head ? receive(lengths->body_bytes) : std::nullopt;
    if (!body) return std::nullopt;
    const auto header = hdfs::read_packet_header(*head, lengths->body_bytes);
    HEDDLE_ASSERT(header.has_value(), "the client sent no packet header");
    if (header->number == hdfs::heartbeat_number) return *header;
    const auto data = body->substr(body->size() - static_cast<std::size_t>(header->data_bytes));
    const auto checksums = body->substr(0, body->size() - data.size());
    const bool is_right = checksums.size() == kind.bytes_for(data.size()) &&
                          !hdfs::find_wrong_chunk(kind, data, checksums) && header->number == number &&
                          header->offset == static_cast<std::int64_t>(content.size()) &&
                          body->size() + lengths->header_bytes + 6 <= 65536 && header->is_last == data.empty();
    if (!is_right) ++node_.wrong_packets_;
    content += data;
    return *header;
  }

  static constexpr std::uint32_t chunk = 512;

  FakeDataNode& node_;
  int socket_;
  DataNodeFault fault_ = DataNodeFault::none;
};

FakeDataNode::FakeDataNode(std::string uuid, FakeReplicas& replicas) : uuid_{std::move(uuid)}, replicas_{replicas} {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  HEDDLE_ASSERT(::bind(listener_, reinterpret_cast<sockaddr*>(&here), size) == 0, "bind");
  HEDDLE_ASSERT(::listen(listener_, 64) == 0, "listen");
  HEDDLE_ASSERT(::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size) == 0, "getsockname");
  port_ = ntohs(here.sin_port);
  thread_ = std::thread{[this] { accept_all(); }};
}

FakeDataNode::~FakeDataNode() {
  {
    const std::lock_guard lock{mutex_};
    is_closed_ = true;
    for (const auto& connection : open_) ::shutdown(connection.socket, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
  for (auto& connection : open_) {
    connection.thread.join();
    ::close(connection.socket);
  }
}

void FakeDataNode::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock{mutex_};
    if (socket < 0 || is_closed_) {
      if (socket >= 0) ::close(socket);
      return;
    }
    ++connections_;
    auto& connection = open_.emplace_back();
    connection.socket = socket;
    connection.thread = std::thread{[this, socket] {
      Conversation{*this, socket}.run();
      ::shutdown(socket, SHUT_RDWR);
    }};
  }
}

DataNodeFault FakeDataNode::next_fault() {
  const std::lock_guard lock{mutex_};
  if (faults_left_ == 0) return DataNodeFault::none;
  --faults_left_;
  return fault_;
}

void FakeDataNode::set_fault(DataNodeFault fault, int times) {
  const std::lock_guard lock{mutex_};
  fault_ = fault;
  faults_left_ = fault == DataNodeFault::none ? 0 : times;
}

std::string FakeDataNode::address() const { return "127.0.0.1:" + std::to_string(port_); }

proto::DatanodeInfo FakeDataNode::info() const {
  proto::DatanodeInfo info;
  info.mutable_id()->set_ip_address("127.0.0.1");
  info.mutable_id()->set_host_name("host-" + uuid_);
  info.mutable_id()->set_uuid(uuid_);
  info.mutable_id()->set_transfer_port(port_);
  info.mutable_id()->set_info_port(0);
  info.mutable_id()->set_ipc_port(0);
  info.set_location("/rack");
  return info;
}

}  // namespace heddle::tests
