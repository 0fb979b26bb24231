// Rows of the settings table: devices and other resources of containers, the network, shuffles, input, output and logs.
// Columns: config/table/settings_table.hpp.
#pragma once

// clang-format off

/// Rows of which the name holds NAME stand for one setting per kind of device: `heddle.task.resource.gpu.amount`.
#define HEDDLE_DEVICE_SETTINGS(ROW) \
  ROW(task_amount, ratio, "heddle.task.resource.NAME.amount", 0.0, 0.0, 1'000'000.0, none, \
      "spark.task.resource.NAME.amount", no, \
      "Devices of this kind that one task holds: a whole number, or a share of one; 0: none.") \
  ROW(executor_amount, count, "heddle.executor.resource.NAME.amount", 0, 0, 1'000'000, none, \
      "spark.executor.resource.NAME.amount", no, \
      "Devices of this kind that an executor needs to have; 0: none.") \
  ROW(discovery_script, text, "heddle.executor.resource.NAME.discovery_script", "", "", "", none, \
      "spark.executor.resource.NAME.discoveryScript", no, \
      "Program that each executor runs when it starts, and that prints its devices: {\"name\": \"gpu\", " \
      "\"addresses\": [\"0\"]}.") \
  ROW(addresses, text, "heddle.executor.resource.NAME.addresses", "", "", "", none, "", no, \
      "Addresses of an executor's devices, separated by commas, instead of a program that finds them.")

/// NAME is a kind of resource that nodes count beside memory and cores:
/// `heddle.executor.container_resource.yarn.io/gpu.amount`.
#define HEDDLE_CONTAINER_RESOURCE_SETTINGS(ROW) \
  ROW(executor_amount, amount, "heddle.executor.container_resource.NAME.amount", 0, 0, size_max, none, \
      "spark.yarn.executor.resource.NAME.amount", no, \
      "What an executor's container takes of this kind of resource; 0: nothing.") \
  ROW(master_amount, amount, "heddle.master.container_resource.NAME.amount", 0, 0, size_max, none, \
      "spark.yarn.am.resource.NAME.amount", no, \
      "What the master container takes of this kind in client mode.") \
  ROW(driver_amount, amount, "heddle.driver.container_resource.NAME.amount", 0, 0, size_max, none, \
      "spark.yarn.driver.resource.NAME.amount", no, \
      "What the master container takes of this kind in cluster mode, where the Driver lives in it.") \
  ROW(gpu_kind, text, "heddle.device.gpu.container_resource", "yarn.io/gpu", "", "", none, \
      "spark.yarn.resourceGpuDeviceName", no, \
      "Kind of resource that executors with devices named gpu take as many of; empty: none.") \
  ROW(fpga_kind, text, "heddle.device.fpga.container_resource", "yarn.io/fpga", "", "", none, \
      "spark.yarn.resourceFpgaDeviceName", no, \
      "The same for devices named fpga.")

#define HEDDLE_NETWORK_SETTINGS(ROW) \
  ROW(connect_timeout, duration, "heddle.network.connect_timeout", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.rpc.lookupTimeout", yes, \
      "How long the ApplicationMaster tries to connect to the ResourceManager before it ends.") \
  ROW(connect_retries, count, "heddle.network.connect_retries", 5, 0, 1'000'000, none, "spark.rpc.numRetries", yes, \
      "How often the ApplicationMaster repeats a message that the ResourceManager does not answer before it ends.") \
  ROW(retry_wait, duration, "heddle.network.retry_wait", milliseconds(5), milliseconds(1), hours(1), ms, \
      "spark.rpc.retry.wait", yes, \
      "First wait between two attempts of any process to connect to another; doubles up to 500 ms.") \
  ROW(ask_timeout, duration, "heddle.network.ask_timeout", seconds(10), milliseconds(10), hours(1), ms, \
      "spark.rpc.askTimeout", yes, \
      "How long the ApplicationMaster waits for an answer of the ResourceManager before it repeats its message.") \
  ROW(silence, duration, "heddle.network.silence", minutes(11), seconds(1), days(2), s, "", no, \
      "Silence after which a connection between processes breaks; at least a little more than the time-outs of " \
      "executors, nodes and masters, which decide first.")

#define HEDDLE_SHUFFLE_SETTINGS(ROW) \
  ROW(sort_memory_bytes, size, "heddle.shuffle.sort_memory", mebibytes(256), mebibytes(1), gibibytes(512), bytes, \
      "", no, "Memory that one slot sorts in before it spills to disk.") \
  ROW(block_bytes, size, "heddle.shuffle.block", kibibytes(256), kibibytes(4), mebibytes(16), bytes, "", no, \
      "Records gathered into one compressed block with its checksum.") \
  ROW(compression, choice, "heddle.shuffle.compression", "lz4", "none|lz4|zstd", "", none, \
      "spark.io.compression.codec", no, \
      "How blocks of a shuffle are compressed.") \
  ROW(compression_level, count, "heddle.shuffle.compression_level", 1, 1, 19, none, \
      "spark.io.compression.zstd.level", no, \
      "Effort of zstd.") \
  ROW(merge_width, count, "heddle.shuffle.merge_width", 64, 2, 4'096, none, "mapreduce.task.io.sort.factor", no, \
      "Runs merged at once; each holds one buffer and one descriptor.") \
  ROW(in_flight_bytes_max, size, "heddle.shuffle.in_flight_max", mebibytes(48), kibibytes(64), size_max, mib_in_bytes, \
      "spark.reducer.maxSizeInFlight", no, \
      "Bytes that one reduce task has asked for and not yet taken.") \
  ROW(fetch_memory_bytes, size, "heddle.shuffle.fetch_memory", mebibytes(256), mebibytes(1), size_max, bytes, "", no, \
      "Fetched bytes that one reduce task keeps in memory before it spills.") \
  ROW(fetch_retries, count, "heddle.shuffle.fetch_retries", 3, 0, 1'000, none, "spark.shuffle.io.maxRetries", no, \
      "Further attempts at a fetch before it is a failure.") \
  ROW(retry_wait, duration, "heddle.shuffle.retry_wait", seconds(5), milliseconds(1), hours(1), s, \
      "spark.shuffle.io.retryWait", no, \
      "Wait between attempts at a fetch.") \
  ROW(fetch_timeout, duration, "heddle.shuffle.fetch_timeout", seconds(120), milliseconds(10), days(1), s, \
      "spark.shuffle.io.connectionTimeout", no, \
      "Silence of a shuffle server that fails a fetch.") \
  ROW(read_local_files, flag, "heddle.shuffle.read_local", true, false, true, none, \
      "spark.shuffle.readHostLocalDisk", no, \
      "Read map outputs of the own host from its disk; false: ask its shuffle server, as for other hosts.")

#define HEDDLE_INPUT_SETTINGS(ROW) \
  ROW(line_bytes_max, size, "heddle.input.line_bytes_max", mebibytes(256), 1, gibibytes(2) - 1, bytes, "", no, \
      "A longer line fails its task with file and offset.") \
  ROW(line_bytes_drop, size, "heddle.input.line_bytes_drop", 0, 0, gibibytes(2) - 1, bytes, \
      "mapreduce.input.linerecordreader.line.maxlength", no, \
      "A longer line is left out, as Hadoop does; 0: none is.") \
  ROW(split_bytes_min, size, "heddle.input.split_bytes_min", 1, 0, size_max, bytes, \
      "mapreduce.input.fileinputformat.split.minsize,mapred.min.split.size", no, \
      "Least size of a split.") \
  ROW(split_bytes_max, size, "heddle.input.split_bytes_max", size_max, 1, size_max, bytes, \
      "mapreduce.input.fileinputformat.split.maxsize,mapred.max.split.size", no, \
      "Largest size of a split.") \
  ROW(block_bytes, size, "heddle.input.block_bytes", mebibytes(32), kibibytes(1), size_max, bytes, \
      "dfs.blocksize,fs.local.block.size", no, \
      "Size of a block of files that have none of their own.") \
  ROW(read_buffer_bytes, size, "heddle.input.read_buffer", mebibytes(1), 512, mebibytes(256), bytes, \
      "io.file.buffer.size", no, \
      "Bytes read from a file at once.") \
  ROW(recursive, flag, "heddle.input.recursive", false, false, true, none, \
      "mapreduce.input.fileinputformat.input.dir.recursive,mapred.input.dir.recursive", no, \
      "Read folders within input folders too.")

#define HEDDLE_OUTPUT_SETTINGS(ROW) \
  ROW(success_file, flag, "heddle.output.success_file", true, false, true, none, \
      "mapreduce.fileoutputcommitter.marksuccessfuljobs", no, \
      "Write _SUCCESS when the output is committed.") \
  ROW(sync, flag, "heddle.output.sync", true, false, true, none, "", no, \
      "Write part files to the disk before their commit is decided: a loss of power then costs committed output " \
      "nothing.")

#define HEDDLE_TASK_LOG_SETTINGS(ROW) \
  ROW(directory, text, "heddle.task_log.dir", "", "", "", none, "yarn.nodemanager.log-dirs", no, \
      "Where stdout and stderr of attempts are kept; empty: beside the event log.") \
  ROW(bytes_max, size, "heddle.task_log.bytes_max", mebibytes(1), kibibytes(4), gibibytes(1), bytes, "", no, \
      "Bytes of stderr kept per attempt: the first half and the last half.") \
  ROW(container_bytes_max, size, "heddle.container_log.bytes_max", mebibytes(16), kibibytes(4), gibibytes(16), bytes, \
      "", yes, \
      "Bytes of stdout and stderr kept per container.")

#define HEDDLE_EVENT_LOG_SETTINGS(ROW) \
  ROW(enabled, flag, "heddle.event_log.enabled", true, false, true, none, "", no, \
      "Write the event log.") \
  ROW(directory, text, "heddle.event_log.dir", "", "", "", none, "", no, \
      "Folder of event logs; empty: $XDG_STATE_HOME/heddle.") \
  ROW(queue_bytes, size, "heddle.event_log.queue_bytes", mebibytes(16), kibibytes(64), gibibytes(1), bytes, "", no, \
      "Events that wait for the writer; when there are more, the next round waits, and beyond twice as many are " \
      "dropped.") \
  ROW(retention_age, duration, "heddle.event_log.retention_age", days(7), seconds(0), days(3650), s, "", no, \
      "Logs of runs that ended longer ago are removed when a session starts; 0: none are. Where heddle.event_log.dir " \
      "is set, only if this or the next is set too.") \
  ROW(retention_bytes, size, "heddle.event_log.retention_bytes", gibibytes(1), 0, size_max, bytes, "", no, \
      "Bytes of logs kept: beyond them the oldest ended runs are removed when a session starts; 0: no limit.")

// clang-format on
