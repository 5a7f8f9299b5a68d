"""Records what the external pillar mysql of real Salt makes of a database.

    python record_mysql.py PORT < cases.json > answers_mysql.json

With salt 3006 and pymysql in that Python, and a MariaDB on 127.0.0.1 with a user root without a password.
"""
import json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../interop"))
import pymysql, salt.config
from pillar_reference import compiled

PORT = int(sys.argv[1])


def answer(defaults, case):
    connection = pymysql.connect(host="127.0.0.1", port=PORT, user="root", autocommit=True)
    with connection.cursor() as cursor:
        for sql in ["DROP DATABASE IF EXISTS recorded", "CREATE DATABASE recorded CHARACTER SET utf8mb4", "USE recorded", *case["mysql"]]:
            cursor.execute(sql)
    connection.close()
    place = {"host": "127.0.0.1", "port": PORT, "user": "root", "pass": "", "db": "recorded"}
    return compiled(defaults, {**case, "files": {}, "opts": {**case["opts"], "mysql": place}})


def main():
    defaults = salt.config.master_config(None)
    given = json.load(sys.stdin)
    print("[\n" + ",\n".join(" " + json.dumps({**case, "pillar": answer(defaults, case)}) for case in given) + "\n]")


main()
