/** An ordinary program and a small piece of work for it, inside a folder of its own. It ran when the work ends well. */
export interface Program {
  readonly name: string;
  /** The program on the system's path without which it is not run. */
  readonly needs: string;
  readonly work: string;
  /** A module of Python that is needed besides. */
  readonly module?: string;
}

const program = (needs: string, work: string, name = needs): Program => ({ name, needs, work });

const C = `cat > a.c <<'E'\n#include <stdio.h>\n#include <pthread.h>\nvoid *f(void *p) { return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); puts("ran"); return 0; }\nE\n`;
const SERVE =
  'python3 -m http.server 8642 --bind 127.0.0.1 >/dev/null 2>&1 & for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3;';

export const PROGRAMS: readonly Program[] = [
  program('bash', `bash -c 'a=(1 2 3); mapfile -t b < <(seq 3); [ "\${#a[@]}" = "\${#b[@]}" ]'`),
  program('dash', 'dash -c "echo a | tr a b | grep b"'),
  program('grep', 'seq 1000 | grep -c 7'),
  program('sed', 'seq 9 | sed -n "s/5/five/p" | grep five'),
  program('awk', `seq 100 | awk '{ s += $1 } END { exit s != 5050 }'`),
  program('find', 'mkdir -p d/e && touch d/e/f && find . -name f -newer d | wc -l', 'find and xargs'),
  program('sort', 'seq 2000 | sort -R -T /tmp | sort -n | tail -1 | grep 2000'),
  program('tar', 'mkdir d && seq 99 > d/a && tar -czf a.tgz d && tar -xzf a.tgz -C /tmp && cmp d/a /tmp/d/a'),
  program('gzip', 'seq 9999 > a && gzip -k a && zcat a.gz | cmp - a'),
  program('bzip2', 'seq 9999 > a && bzip2 -k a && bzcat a.bz2 | cmp - a'),
  program('xz', 'seq 9999 > a && xz -k -T2 a && xzcat a.xz | cmp - a'),
  program('zstd', 'seq 9999 > a && zstd -q -T2 a && zstdcat a.zst | cmp - a'),
  program('zip', 'seq 99 > a && zip -q a.zip a && unzip -p a.zip | cmp - a', 'zip and unzip'),
  program('diff', 'seq 9 > a; seq 8 > b; diff -u b a > p; patch b p && cmp a b', 'diff and patch'),
  program('make', `printf 'all: a b\\na b:\\n\\tdate > $@\\n' > Makefile && make -j4 && ls a b`),
  program('gcc', `${C}gcc -O1 -pthread a.c -o a && ./a | grep ran`),
  program(
    'g++',
    `printf '#include <iostream>\\n#include <thread>\\nint main() { std::thread t([]{ std::cout << "ran"; }); t.join(); }' > a.cc && g++ -O0 -pthread a.cc -o a && ./a | grep ran`,
  ),
  program('objdump', `${C}gcc -c a.c && objdump -d a.o | grep main && nm a.o && ar rcs a.a a.o`, 'objdump, nm and ar'),
  program(
    'cmake',
    `${C}printf 'cmake_minimum_required(VERSION 3.5)\\nproject(a C)\\nfind_package(Threads)\\nadd_executable(a a.c)\\ntarget_link_libraries(a Threads::Threads)\\n' > CMakeLists.txt && cmake -S . -B b >/dev/null && cmake --build b >/dev/null && b/a | grep ran`,
  ),
  program(
    'ninja',
    `printf 'rule c\\n  command = cp $in $out\\nbuild b: c a\\n' > build.ninja && echo x > a && ninja && cmp a b`,
  ),
  program(
    'git',
    'git init -q r && cd r && git config user.email a@b && git config user.name a && seq 9 > a && git add . && git commit -qm one && git clone -q . ../c && git -C ../c log --oneline | grep one && git gc -q',
  ),
  program(
    'perl',
    `perl -e 'my $p = fork; exit 0 unless $p; waitpid $p, 0; print join ",", sort { $a <=> $b } 3, 1, 2' | grep 1,2,3`,
  ),
  program(
    'python3',
    `python3 -c 'import json, sqlite3, ssl, hashlib, subprocess; print(subprocess.check_output(["echo", "ran"]))'`,
  ),
  program(
    'python3',
    `python3 -c '
import multiprocessing as m
if __name__ == "__main__":
  with m.Pool(3) as p: print(sum(p.map(abs, range(100))))
  from multiprocessing import shared_memory
  s = shared_memory.SharedMemory(create=True, size=4096); s.buf[0] = 7; s.close(); s.unlink()' | grep 4950`,
    'Python’s processes and shared memory',
  ),
  program(
    'python3',
    `python3 -c '
import asyncio, mmap, os, pty, selectors, tempfile, threading
async def f(): return (await asyncio.create_subprocess_exec("true")).pid
asyncio.run(f()); mmap.mmap(-1, 4096); os.memfd_create("a") if hasattr(os, "memfd_create") else 0
t = threading.Thread(target=print, args=("ran",)); t.start(); t.join()' | grep ran`,
    'Python’s event loop, threads and maps',
  ),
  program(
    'python3',
    'python3 -m venv --without-pip v && v/bin/python -c "import sys; print(sys.prefix)" | grep v',
    'venv',
  ),
  program(
    'pip3',
    "mkdir p && printf \"from setuptools import setup\\nsetup(name='p', version='1', py_modules=['q'])\" > p/setup.py && echo \"x = 1\" > p/q.py && python3 -m pip install -q --no-index --no-build-isolation --no-deps --target t ./p && ls t/q.py",
    'pip',
  ),
  {
    ...program(
      'python3',
      'printf "def test_a():\\n  assert 1 + 1 == 2\\n" > test_a.py && python3 -m pytest -q | grep "1 passed"',
      'pytest',
    ),
    module: 'pytest',
  },
  program(
    'python3',
    'printf "import unittest\\nclass T(unittest.TestCase):\\n  def test_a(self): self.assertEqual(1, 1)\\n" > test_a.py && python3 -m unittest 2>&1 | grep OK',
    'unittest',
  ),
  program(
    'node',
    `node -e 'const { Worker } = require("worker_threads"); new Worker("require(\\"fs\\").writeFileSync(\\"w\\", \\"ran\\")", { eval: true }).on("exit", () => console.log(require("fs").readFileSync("w", "utf8")))' | grep ran`,
  ),
  program(
    'node',
    `node -e 'const h = require("http").createServer((q, r) => r.end("ran")).listen(0, "127.0.0.1", async () => { console.log(await (await fetch("http://127.0.0.1:" + h.address().port)).text()); h.close(); require("child_process").execFileSync("true"); })' | grep ran`,
    'Node’s server, fetch and children',
  ),
  program(
    'npm',
    `mkdir p && echo '{"name":"p","version":"1.0.0","main":"i.js"}' > p/package.json && echo 'module.exports = "ran"' > p/i.js && echo '{"name":"q","version":"1.0.0","scripts":{"test":"node t.js"}}' > package.json && echo 'console.log(require("p"))' > t.js && npm install --offline --no-audit --no-fund --silent ./p && npm test --silent | grep ran`,
  ),
  program('java', 'mkdir -p h && HOME=$PWD/h java -Xmx128m -XX:+UseSerialGC -version'),
  program('ruby', `ruby -e 'puts [3, 1, 2].sort.join; t = Thread.new { print "ran" }; t.join' | grep ran`),
  program('lua5.4', `lua5.4 -e 'print(("ran"):upper())' | grep RAN`),
  program('tclsh', `echo 'puts [expr {6 * 7}]' | tclsh | grep 42`),
  program(
    'sqlite3',
    `sqlite3 a.db 'pragma journal_mode=wal; create table t(x); insert into t values (1), (2); select sum(x) from t' | grep 3`,
  ),
  program('ssh-keygen', 'ssh-keygen -q -t ed25519 -N "" -f k && ssh-keygen -lf k.pub'),
  program(
    'openssl',
    'openssl genpkey -algorithm ed25519 -out k && openssl pkey -in k -pubout && openssl rand -hex 16 && echo a | openssl enc -aes-256-cbc -pbkdf2 -k x | openssl enc -d -aes-256-cbc -pbkdf2 -k x | grep a',
  ),
  program(
    'gpg',
    'mkdir -m 700 g && gpg --homedir g --batch --passphrase "" --quick-gen-key a@b ed25519 2>/dev/null && gpg --homedir g -k a@b; s=$?; gpgconf --homedir g --kill all; exit $s',
  ),
  program(
    'curl',
    `echo ran > f; ${SERVE} curl -s http://127.0.0.1:8642/f && exit 0; done; exit 1`,
    'curl to the loopback',
  ),
  program(
    'wget',
    `echo ran > f; ${SERVE} wget -q -O- http://127.0.0.1:8642/f && exit 0; done; exit 1`,
    'wget from the loopback',
  ),
  program('jq', `echo '{"a":[1,2,3]}' | jq '.a | add' | grep 6`),
  program('bc', 'echo "2^100" | bc | grep 1267650600228229401496703205376'),
  program('vim', 'seq 9 > a && vim -es -u NONE -c "%s/5/five/" -c wq a; grep five a'),
  program('ed', 'seq 9 > a && printf "5d\\nw\\nq\\n" | ed -s a && ! grep 5 a'),
  program(
    'tmux',
    'TMUX_TMPDIR=$PWD tmux -f /dev/null new-session -d "echo ran > out; sleep 1" && sleep 0.5 && grep ran out; s=$?; TMUX_TMPDIR=$PWD tmux kill-server 2>/dev/null; exit $s',
  ),
  program('script', 'script -qec "tty" /dev/null | grep pts', 'script, on a terminal'),
  program('ps', 'ps aux | grep ps && top -b -n1 | head -3', 'ps and top'),
  program('ss', 'ss -ltn && ip -br address show lo', 'ss and ip'),
  program('file', 'file /usr/bin/env | grep ELF'),
  program('xxd', 'echo a | xxd | xxd -r | grep a'),
  program('iconv', 'printf "\\303\\274" | iconv -f UTF-8 -t ISO-8859-1 | od -An -tx1 | grep fc'),
  program('flock', 'flock lock -c "timeout 5 nice -n 5 setsid -w true"', 'flock, timeout, nice and setsid'),
  program('gdb', 'gdb -batch -ex "print 6 * 7" | grep 42'),
  program(
    'chromium',
    'HOME=$PWD timeout 60 /usr/lib/chromium/chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=$PWD/u --dump-dom "data:text/html,<script>document.write(6*7)</script>" 2>/dev/null | grep 42',
    'Chromium without a screen',
  ),
];
