"""The jobs of `speed` for Spark: spark_job.py first|tasks N|words SOURCE TARGET|sort SOURCE TARGET. Prints lines `name value`."""

import sys
import time

begin = time.time()
from pyspark.sql import SparkSession  # pylint: disable=wrong-import-position,import-error
from pyspark.sql import functions as F  # pylint: disable=wrong-import-position,import-error

what, words = sys.argv[1], sys.argv[2:]
spark = SparkSession.builder.appName(f"peer-{what}").getOrCreate()
context = spark.sparkContext
one = context._jvm.java.util.Collections.nCopies  # pylint: disable=protected-access
java = context._jsc  # pylint: disable=protected-access


def say(name, value):
    print(name, value, flush=True)


def wait_for_executors():
    deadline = time.time() + 60
    while java.sc().getExecutorMemoryStatus().size() <= 2 and time.time() < deadline:
        time.sleep(0.05)


if what == "first":
    java.parallelize(one(1, 1), 1).count()
    say("first", time.time() - begin)
elif what == "tasks":
    count = int(words[0])
    wait_for_executors()
    java.parallelize(one(200, 1), 200).count()
    java.parallelize(one(count, 1), count).count()
    start = time.time()
    java.parallelize(one(count, 1), count).count()
    say("rate", count / (time.time() - start))
    times = []
    for _ in range(300):
        start = time.time()
        java.parallelize(one(1, 1), 1).count()
        times.append((time.time() - start) * 1000)
    times.sort()
    say("p50", times[150])
    say("p99", times[296])
elif what == "words":
    (spark.read.text(words[0]).select(F.explode(F.split("value", " ")).alias("w")).groupBy("w").count()
     .select(F.concat_ws("\t", "w", "count").alias("value")).write.text(words[1]))
else:
    spark.read.text(words[0]).sort(F.substring("value", 1, 10)).write.text(words[1])
spark.stop()
