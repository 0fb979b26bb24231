// Settings of the frameworks of MapReduce. Columns: config/table/settings_table.hpp.
#pragma once

// clang-format off

#define HEDDLE_MAP_REDUCE_SETTINGS(ROW) \
  ROW(framework, choice, "heddle.map_reduce.framework", "local", "local|classic|yarn", "", none, \
      "mapreduce.framework.name", no, \
      "Framework of heddle mapreduce without --framework. local: the Driver; classic: JobTracker and TaskTrackers; "\
      "yarn: a MapReduceMaster.") \
  ROW(map_slots, count, "heddle.task_tracker.map_slots", 2, 1, 4'096, none, \
      "mapreduce.tasktracker.map.tasks.maximum,mapred.tasktracker.map.tasks.maximum", yes, \
      "Number of maps that run on one TaskTracker at the same time; unset in local-cluster[n,c,m]: c.") \
  ROW(reduce_slots, count, "heddle.task_tracker.reduce_slots", 2, 1, 4'096, none, \
      "mapreduce.tasktracker.reduce.tasks.maximum,mapred.tasktracker.reduce.tasks.maximum", yes, \
      "Number of reduces that run on one TaskTracker at the same time; unset in local-cluster[n,c,m]: c.") \
  ROW(beat_on_change, flag, "heddle.map_reduce.beat_on_change", true, false, true, none, \
      "mapreduce.tasktracker.outofband.heartbeat", yes, \
      "A TaskTracker sends a heartbeat as soon as an attempt has ended, or work for it is there; false: only in the " \
      "regular interval.")

// clang-format on
