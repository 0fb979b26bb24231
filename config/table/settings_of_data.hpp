// Settings of devices and other resources, the network, shuffles, input, output and logs. Columns:
// config/table/settings_table.hpp.
#pragma once

// clang-format off

/// NAME is a kind of device: `heddle.task.resource.gpu.amount`.
#define HEDDLE_DEVICE_SETTINGS(ROW) \
  ROW(task_amount, ratio, "heddle.task.resource.NAME.amount", 0.0, 0.0, 1'000'000.0, none, \
      "spark.task.resource.NAME.amount", no, \
      "Devices of this type per task: a whole number, or a share of one device; 0: none.") \
  ROW(executor_amount, count, "heddle.executor.resource.NAME.amount", 0, 0, 1'000'000, none, \
      "spark.executor.resource.NAME.amount", no, \
      "Devices of this type that an executor needs; 0: none.") \
  ROW(discovery_script, text, "heddle.executor.resource.NAME.discovery_script", "", "", "", none, \
      "spark.executor.resource.NAME.discoveryScript", no, \
      "Program that an executor runs at its start to find its devices; it prints {\"name\": \"gpu\", \"addresses\": " \
      "[\"0\"]}.") \
  ROW(addresses, text, "heddle.executor.resource.NAME.addresses", "", "", "", none, "", no, \
      "Addresses of an executor's devices, separated by commas; replaces the discovery script.")

/// NAME is a resource name of YARN: `heddle.executor.container_resource.yarn.io/gpu.amount`.
#define HEDDLE_CONTAINER_RESOURCE_SETTINGS(ROW) \
  ROW(executor_amount, amount, "heddle.executor.container_resource.NAME.amount", 0, 0, size_max, none, \
      "spark.yarn.executor.resource.NAME.amount", no, \
      "Amount of this resource type in an executor's container; 0: none.") \
  ROW(master_amount, amount, "heddle.master.container_resource.NAME.amount", 0, 0, size_max, none, \
      "spark.yarn.am.resource.NAME.amount", no, \
      "Amount of this resource type in the master container, in client mode.") \
  ROW(driver_amount, amount, "heddle.driver.container_resource.NAME.amount", 0, 0, size_max, none, \
      "spark.yarn.driver.resource.NAME.amount", no, \
      "Amount of this resource type in the master container, in cluster mode; the Driver runs there.") \
  ROW(gpu_kind, text, "heddle.device.gpu.container_resource", "yarn.io/gpu", "", "", none, \
      "spark.yarn.resourceGpuDeviceName", no, \
      "Resource type that containers request for devices named gpu, one unit per device; empty: none.") \
  ROW(fpga_kind, text, "heddle.device.fpga.container_resource", "yarn.io/fpga", "", "", none, \
      "spark.yarn.resourceFpgaDeviceName", no, \
      "Resource type that containers request for devices named fpga, one unit per device; empty: none.")

#define HEDDLE_NETWORK_SETTINGS(ROW) \
  ROW(connect_timeout, duration, "heddle.network.connect_timeout", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.rpc.lookupTimeout", yes, \
      "Time that the ApplicationMaster tries to connect to the ResourceManager before it exits.") \
  ROW(connect_retries, count, "heddle.network.connect_retries", 5, 0, 1'000'000, none, "spark.rpc.numRetries", yes, \
      "Number of times that the ApplicationMaster repeats an unanswered message to the ResourceManager before it " \
      "exits.") \
  ROW(retry_wait, duration, "heddle.network.retry_wait", milliseconds(5), milliseconds(1), hours(1), ms, \
      "spark.rpc.retry.wait", yes, \
      "First wait between two connection attempts of any process; each further wait is twice as long, up to 500 ms.") \
  ROW(ask_timeout, duration, "heddle.network.ask_timeout", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.rpc.askTimeout", yes, \
      "Time that the ApplicationMaster waits for an answer of the ResourceManager before it repeats its message.") \
  ROW(silence, duration, "heddle.network.silence", minutes(11), seconds(1), days(2), s, "", no, \
      "Time without data after which a connection between processes breaks; raised above the time-outs of executors, " \
      "nodes and masters if it is shorter.") \
  ROW(driver_bind_address, text, "heddle.driver.bind_address", "", "", "", none, "spark.driver.bindAddress", no, \
      "IP address on which the process of the Driver listens, for the Driver and the streams of a command; empty: " \
      "127.0.0.1.") \
  ROW(driver_host, text, "heddle.driver.host", "", "", "", none, "spark.driver.host", no, \
      "Host or address by which others reach the process of the Driver; empty: heddle.driver.bind_address.") \
  ROW(driver_port, count, "heddle.driver.port", 0, 0, 65'535, none, "spark.driver.port", no, \
      "Port of the Driver; 0: any free one.") \
  ROW(driver_port_retries, count, "heddle.driver.port_retries", 16, 0, 65'534, none, "spark.port.maxRetries", no, \
      "Number of ports after heddle.driver.port that are tried if it is in use.")

#define HEDDLE_SHUFFLE_SETTINGS(ROW) \
  ROW(sort_memory_bytes, size, "heddle.shuffle.sort_memory", mebibytes(256), mebibytes(1), gibibytes(512), bytes, \
      "", no, \
      "Memory per task slot for sorting; a task spills to disk above it.") \
  ROW(block_bytes, size, "heddle.shuffle.block", kibibytes(256), kibibytes(4), mebibytes(16), bytes, "", no, \
      "Uncompressed size of a block of records; each block is compressed and has a checksum.") \
  ROW(compression, choice, "heddle.shuffle.compression", "lz4", "none|lz4|zstd", "", none, \
      "spark.io.compression.codec", no, \
      "Compression of shuffle blocks.") \
  ROW(compression_level, count, "heddle.shuffle.compression_level", 1, 1, 19, none, \
      "spark.io.compression.zstd.level", no, \
      "Compression level if heddle.shuffle.compression is zstd.") \
  ROW(merge_width, count, "heddle.shuffle.merge_width", 64, 2, 4'096, none, \
      "mapreduce.task.io.sort.factor,io.sort.factor", no, \
      "Number of sorted runs merged at once; each needs one block of memory and one file descriptor.") \
  ROW(in_flight_bytes_max, size, "heddle.shuffle.in_flight_max", mebibytes(48), kibibytes(64), size_max, mib_in_bytes, \
      "spark.reducer.maxSizeInFlight", no, \
      "Maximum bytes that one reduce task has requested and not yet read.") \
  ROW(fetch_memory_bytes, size, "heddle.shuffle.fetch_memory", mebibytes(256), mebibytes(1), size_max, bytes, "", no, \
      "Fetched bytes that one reduce task keeps in memory; above it they are spilled to disk.") \
  ROW(fetch_retries, count, "heddle.shuffle.fetch_retries", 3, 0, 1'000, none, "spark.shuffle.io.maxRetries", no, \
      "Number of retries before a fetch fails.") \
  ROW(retry_wait, duration, "heddle.shuffle.retry_wait", seconds(5), milliseconds(1), hours(1), s, \
      "spark.shuffle.io.retryWait", no, \
      "Wait between two attempts of a fetch.") \
  ROW(fetch_timeout, duration, "heddle.shuffle.fetch_timeout", seconds(120), milliseconds(10), days(1), s, \
      "spark.shuffle.io.connectionTimeout", no, \
      "A fetch fails after this time without data from the shuffle server.") \
  ROW(read_local_files, flag, "heddle.shuffle.read_local", true, false, true, none, \
      "spark.shuffle.readHostLocalDisk", no, \
      "Read map outputs of the same host from its disk; false: fetch them from its shuffle server, as from other " \
      "hosts.")

#define HEDDLE_INPUT_SETTINGS(ROW) \
  ROW(line_bytes_max, size, "heddle.input.line_bytes_max", mebibytes(256), 1, gibibytes(2) - 1, bytes, "", no, \
      "Maximum length of a line; a longer line fails its task with file name and offset.") \
  ROW(line_bytes_drop, size, "heddle.input.line_bytes_drop", 0, 0, gibibytes(2) - 1, bytes, \
      "mapreduce.input.linerecordreader.line.maxlength", no, \
      "Lines longer than this are skipped, as in Hadoop; 0: no line is skipped.") \
  ROW(split_bytes_min, size, "heddle.input.split_bytes_min", 1, 0, size_max, bytes, \
      "mapreduce.input.fileinputformat.split.minsize,mapred.min.split.size", no, \
      "Minimum size of a split.") \
  ROW(split_bytes_max, size, "heddle.input.split_bytes_max", size_max, 1, size_max, bytes, \
      "mapreduce.input.fileinputformat.split.maxsize,mapred.max.split.size", no, \
      "Maximum size of a split.") \
  ROW(block_bytes, size, "heddle.input.block_bytes", mebibytes(32), kibibytes(1), size_max, bytes, \
      "fs.local.block.size", no, \
      "Block size of files whose file system has none; the default is that of local files in Hadoop.") \
  ROW(read_buffer_bytes, size, "heddle.input.read_buffer", mebibytes(1), 512, mebibytes(256), bytes, \
      "io.file.buffer.size", no, \
      "Number of bytes per read from a file.") \
  ROW(recursive, flag, "heddle.input.recursive", false, false, true, none, \
      "mapreduce.input.fileinputformat.input.dir.recursive,mapred.input.dir.recursive", no, \
      "Read subfolders of input folders too.")

#define HEDDLE_OUTPUT_SETTINGS(ROW) \
  ROW(success_file, flag, "heddle.output.success_file", true, false, true, none, \
      "mapreduce.fileoutputcommitter.marksuccessfuljobs", no, \
      "Write _SUCCESS when the output is committed.") \
  ROW(sync, flag, "heddle.output.sync", true, false, true, none, "", no, \
      "Sync part files to disk before the commit, so that a power failure does not damage committed output.")

#define HEDDLE_HDFS_CLIENT_SETTINGS(ROW) \
  ROW(safe_mode_timeout, duration, "heddle.hdfs.safe_mode_timeout", minutes(10), seconds(0), hours(24), ms, "", no, \
      "Time that a change waits for a NameNode in safe mode.") \
  ROW(replication, count, "heddle.hdfs.replication", 0, 0, 512, none, "dfs.replication", no, \
      "Replicas of new files in HDFS; 0: as hdfs-site.xml says, otherwise the NameNode.") \
  ROW(block_bytes, size, "heddle.hdfs.block_size", 0, 0, gibibytes(512), bytes, "dfs.blocksize", no, \
      "Size of blocks of new files in HDFS; 0: as hdfs-site.xml says, otherwise the NameNode.") \
  ROW(umask, text, "heddle.hdfs.umask", "", "", "", none, "fs.permissions.umask-mode", no, \
      "Permissions that new files in HDFS do not get, such as 022; empty: as core-site.xml says, otherwise 022.") \
  ROW(site, text, "heddle.hdfs.site", "", "", "", none, "", no, \
      "Properties of Hadoop that are used for HDFS instead of HADOOP_CONF_DIR, one KEY=VALUE per line; empty: read " \
      "HADOOP_CONF_DIR. On yarn the client sets it for its containers.")

#define HEDDLE_TASK_LOG_SETTINGS(ROW) \
  ROW(directory, text, "heddle.task_log.dir", "", "", "", none, "yarn.nodemanager.log-dirs", no, \
      "Folder for stdout and stderr of task attempts; empty: beside the event log.") \
  ROW(bytes_max, size, "heddle.task_log.bytes_max", mebibytes(1), kibibytes(4), gibibytes(1), bytes, "", no, \
      "Bytes of stderr kept per task attempt; of a longer one the first half and the last half.") \
  ROW(container_bytes_max, size, "heddle.container_log.bytes_max", mebibytes(16), kibibytes(4), gibibytes(16), bytes, \
      "", yes, \
      "Bytes of stdout and stderr kept per container.")

#define HEDDLE_EVENT_LOG_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.event_log.enabled", true, false, true, none, "", no, \
      "Write the event log.") \
  ROW(directory, text, "heddle.event_log.dir", "", "", "", none, "", no, \
      "Folder of event logs; empty: $XDG_STATE_HOME/heddle.") \
  ROW(queue_bytes, size, "heddle.event_log.queue_bytes", mebibytes(16), kibibytes(64), gibibytes(1), bytes, "", no, \
      "Bytes of events that may wait to be written; above it the Driver starts no tasks, above twice as many events " \
      "are dropped.") \
  ROW(bytes_max, size, "heddle.event_log.bytes_max", gibibytes(8), 0, size_max, bytes, "", no, \
      "Maximum bytes of the event log of one process; later events are counted in its last lines and not written; " \
      "0: no limit.") \
  ROW(retention_age, duration, "heddle.event_log.retention_age", days(7), seconds(0), days(3650), s, "", no, \
      "Age after which logs of ended runs are removed; 0: no limit. Checked when a session starts, once per hour. If " \
      "heddle.event_log.dir is set, logs are removed only if this or heddle.event_log.retention_bytes is set too.") \
  ROW(retention_bytes, size, "heddle.event_log.retention_bytes", gibibytes(1), 0, size_max, bytes, "", no, \
      "Maximum bytes of logs; above it logs of ended runs are removed, oldest first; 0: no limit. Checked when a " \
      "session starts, once per hour.")

#define HEDDLE_DEBUG_SETTINGS(ROW) \
  ROW(check_invariants, flag, "heddle.debug.check_invariants", false, false, true, none, "", no, \
      "For tests of heddle: each role checks all its tables after each message; a contradiction aborts its process. " \
      "Slow.")

// clang-format on
