"""Ids of jobs."""

import datetime
from typing import Any, Dict


def gen_jid(opts: Any = None) -> str:
    return f"{datetime.datetime.now():%Y%m%d%H%M%S%f}"


def is_jid(jid: Any) -> bool:
    return isinstance(jid, str) and len(jid) >= 20 and jid[:20].isdigit()


def jid_to_time(jid: str) -> str:
    return f"{jid[:4]}, {datetime.datetime.strptime(jid[:20], '%Y%m%d%H%M%S%f'):%b %d %H:%M:%S.%f}" if is_jid(jid) else ""


def format_job_instance(job: Any) -> Dict[str, Any]:
    """A job as ``jobs.list_jobs`` shows it."""
    found = {
        "Function": job.get("fun", "unknown-function"),
        "Arguments": list(job.get("arg", [])),
        "Target": job.get("tgt", "unknown-target"),
        "Target-type": job.get("tgt_type", "list"),
        "User": job.get("user", "root"),
    }
    if "metadata" in job:
        found["Metadata"] = job["metadata"]
    return found


def format_jid_instance(jid: str, job: Any) -> Dict[str, Any]:
    return {**format_job_instance(job), "StartTime": jid_to_time(jid)}
