"""Results of a suite's tests, a line each, in a file that grows while tests run: what is there is not run again."""

import concurrent.futures


def complete(path, tests, run, jobs, key=1):
    """Adds the results of those of the tests that the file does not have. `tests` gives each by its name, the first `key` words of its line;
    `run` makes the line's words of one; so many run at a time."""
    lines = [l.split("\t") for l in path.read_text().splitlines()] if path.exists() else []
    rows = {tuple(l[:key]): l for l in lines}
    with concurrent.futures.ThreadPoolExecutor(jobs) as workers:
        for row in workers.map(run, [test for name, test in tests if name not in rows]):
            rows[tuple(row[:key])] = [word.replace("\t", " ") for word in row]
            path.write_text("".join("\t".join(rows[name]) + "\n" for name in sorted(rows)))
