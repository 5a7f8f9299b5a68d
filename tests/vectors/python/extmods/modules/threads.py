"""Work on several threads, with functions of the loader"""

import concurrent.futures
import threading


def pooled(*names):
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        return sorted(pool.map(lambda n: n * 2, names))


def collected():
    found = []
    lock = threading.Lock()

    def work(n):
        with lock:
            found.append(n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(found)
