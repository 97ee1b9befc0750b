import { callKernel, tryCommand } from './attack.ts';
import type { Attack } from './attack.ts';

const attack = (area: Attack['area'], name: string, script: string): Attack => ({ area, name, script });

const files: Attack[] = [
  attack('files', 'read the canary by its path', 'cat "$CANARY"'),
  attack('files', 'write the canary by its path', tryCommand('echo changed > "$CANARY"')),
  attack(
    'files',
    'see the canary in the shared temporary folder',
    'cat /tmp/lachesis-*/* /tmp/lachesis-*/*/* 2>/dev/null',
  ),
  attack('files', 'plant a file beside the canary', tryCommand('touch "$(dirname "$CANARY")/planted"')),
  attack('files', 'climb out with dots', 'cat "../../../../../../../..$CANARY"'),
  attack('files', 'climb out with a link', 'ln -sfn "$CANARY" l; cat l'),
  attack('files', 'climb out with a link to the root', 'ln -sfn / r; cat "r$CANARY"'),
  attack('files', 'read the host’s shadow file', tryCommand('grep -q root: /etc/shadow')),
  attack('files', 'read root’s home', tryCommand('ls /root | grep -q .')),
  attack('files', 'see users of the host', tryCommand('grep -q -E "^(root|daemon):" /etc/passwd')),
  attack('files', 'write to /usr', tryCommand('touch /usr/bin/planted')),
  attack('files', 'replace a program', tryCommand('cp /usr/bin/true /bin/sh')),
  attack('files', 'write to /etc', tryCommand('echo x >> /etc/passwd')),
  attack('files', 'write to the root folder', tryCommand('mkdir /planted')),
  attack('files', 'write to /dev', tryCommand('touch /dev/planted')),
  attack('files', 'change the mode of a program', tryCommand('chmod 4755 /usr/bin/env')),
  attack(
    'files',
    'link a file of the system into the work folder and write it',
    tryCommand('ln /usr/bin/env e && echo x > e'),
  ),
  attack(
    'files',
    'find host folders',
    tryCommand('ls -d /home /var /opt /srv /mnt /run /boot 2>/dev/null | grep -q .'),
  ),
  attack('files', 'open /sys', tryCommand('ls /sys/kernel /sys/fs/cgroup')),
  attack('files', 'open a disk', tryCommand('head -c 1 /dev/vda || head -c 1 /dev/sda || head -c 1 /dev/nvme0n1')),
  attack(
    'files',
    'open memory devices',
    tryCommand('head -c 1 /dev/mem || head -c 1 /dev/kmem || head -c 1 /dev/port'),
  ),
  attack(
    'files',
    'open kernel and virtualisation devices',
    tryCommand('head -c 1 /dev/kmsg || : < /dev/kvm || : < /dev/fuse || : < /dev/net/tun || : < /dev/loop-control'),
  ),
  attack('files', 'make a device node for a disk', tryCommand('mknod d b 254 0 && head -c 1 d')),
  attack('files', 'make a device node for memory', tryCommand('mknod m c 1 1 && head -c 1 m')),
  attack('files', 'mount /usr again for writing', tryCommand('mount -o remount,rw,bind /usr')),
  attack('files', 'unmount the work folder', tryCommand('umount -l /work')),
  attack(
    'files',
    'put a set-user-id program to work',
    'cp /usr/bin/id i; chmod 4755 i; [ "$(./i -u)" = 0 ] && echo ESCAPED',
  ),
];

const proc: Attack[] = [
  attack('proc', 'reach the canary through the root of process 1', 'cat "/proc/1/root$CANARY"'),
  attack(
    'proc',
    'reach the canary through every root and folder',
    'for p in /proc/[0-9]*; do cat "$p/root$CANARY" "$p/cwd$CANARY" 2>/dev/null; done',
  ),
  attack('proc', 'read environments for the secret', 'cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n" | grep SECRET'),
  attack(
    'proc',
    'read the environment of the host’s process',
    tryCommand('grep -q LACHESIS_CANARY "/proc/$HOST_PID/environ"'),
  ),
  attack(
    'proc',
    'see processes of the host',
    tryCommand('cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -q -E "[s]hows/main|[p]ostgres|[v]itest"'),
  ),
  attack(
    'proc',
    'see more than a handful of processes',
    'n=$(ls -d /proc/[0-9]* | wc -l); [ "$n" -gt 12 ] && echo ESCAPED',
  ),
  attack('proc', 'set the core pattern', tryCommand('echo "|/tmp/x" > /proc/sys/kernel/core_pattern')),
  attack('proc', 'set the module loader', tryCommand('echo /tmp/x > /proc/sys/kernel/modprobe')),
  attack('proc', 'press a magic key', tryCommand('echo h > /proc/sysrq-trigger')),
  attack('proc', 'read kernel memory', tryCommand('head -c 64 /proc/kcore')),
  attack('proc', 'drop caches', tryCommand('echo 3 > /proc/sys/vm/drop_caches')),
  attack('proc', 'turn packet forwarding on in the host', tryCommand('echo 1 > /proc/sys/kernel/sysrq')),
  attack('proc', 'write the program of process 1', tryCommand('echo x > /proc/1/exe')),
  attack(
    'proc',
    'write the program that runs',
    tryCommand('cp /proc/self/exe /tmp/x; echo x >> "$(readlink /proc/self/exe)"'),
  ),
  attack(
    'proc',
    'use descriptors of process 1',
    tryCommand('for f in /proc/1/fd/*; do [ -S "$f" ] || cat "$f"; done 2>/dev/null | grep -q .'),
  ),
  attack('proc', 'map more users', tryCommand('echo "0 0 1" > /proc/self/uid_map')),
  attack('proc', 'leave the memory killer’s list', tryCommand('echo -1000 > /proc/self/oom_score_adj')),
  attack('proc', 'find kernel addresses', tryCommand('grep -v "^0000000000000000" /proc/kallsyms | grep -q .')),
  attack(
    'proc',
    'have descriptors beyond the three',
    'for f in /proc/self/fd/*; do case ${f##*/} in 0|1|2) ;; *) [ -e "$f" ] && readlink "$f" | grep -v /proc/ | grep -q . && echo "ESCAPED $f";; esac; done',
  ),
  attack('proc', 'join a group of the host’s', tryCommand('grep -q lachesis-sandbox /proc/self/cgroup')),
];

const privilege: Attack[] = [
  attack(
    'privilege',
    'be root',
    '[ "$(id -u)" = 0 ] && echo ESCAPED; [ "$(id -ru)" = 0 ] && echo ESCAPED; awk "{ if (\\$2 == 0 && \\$3 > 1) print \\"ESCAPED\\" }" /proc/self/uid_map',
  ),
  attack('privilege', 'be in a group of the host', 'id -G | tr " " "\\n" | grep -qx -E "0|65534" && echo ESCAPED'),
  attack(
    'privilege',
    'have a capability',
    'grep -E "^Cap(Eff|Prm|Bnd|Amb)" /proc/self/status | grep -qv 0000000000000000 && echo ESCAPED',
  ),
  attack('privilege', 'gain privileges by a program', 'grep -q "NoNewPrivs:.0" /proc/self/status && echo ESCAPED'),
  attack('privilege', 'have no filter', 'grep -q "Seccomp:.0" /proc/self/status && echo ESCAPED'),
  attack('privilege', 'become root by a call', tryCommand('python3 -c "import os; os.setuid(0)"')),
  attack('privilege', 'join group 0', tryCommand('python3 -c "import os; os.setgid(0)"')),
  attack('privilege', 'set groups', tryCommand('python3 -c "import os; os.setgroups([0])"')),
  attack('privilege', 'use su', tryCommand('su -c true')),
  attack('privilege', 'use mount as a set-user-id program', tryCommand('mount -t tmpfs none /tmp')),
  attack('privilege', 'raise its own limits', tryCommand('ulimit -u 100000')),
  attack('privilege', 'raise its priority', tryCommand('python3 -c "import os; os.setpriority(0, 0, -20)"')),
  attack('privilege', 'kill the process that made the sandbox', tryCommand('kill -0 "$HOST_PID"')),
  attack(
    'privilege',
    'lock itself onto a real-time schedule',
    tryCommand('python3 -c "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"'),
  ),
];

const kernel: Attack[] = [
  attack('kernel', 'make a user namespace', tryCommand('unshare -U true')),
  attack('kernel', 'make a user namespace and be root in it', tryCommand('unshare -Ur id -u')),
  attack('kernel', 'make a mount namespace', tryCommand('unshare -m true')),
  attack('kernel', 'make a network namespace', tryCommand('unshare -n true')),
  attack('kernel', 'clone into a user namespace', callKernel({ x64: 56, arm64: 220 }, '0x10000011, 0, 0, 0, 0')),
  attack(
    'kernel',
    'clone3 into a user namespace',
    callKernel({ x64: 435, arm64: 435 }, 'ctypes.byref(a), 88', 'a = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)'),
  ),
  attack(
    'kernel',
    'enter a namespace',
    callKernel({ x64: 308, arm64: 268 }, 'f, 0', 'f = os.open("/proc/1/ns/mnt", os.O_RDONLY)'),
  ),
  attack('kernel', 'trace a process', callKernel({ x64: 101, arm64: 117 }, '0, 0, 0, 0')),
  attack(
    'kernel',
    'read memory of a process',
    callKernel(
      { x64: 310, arm64: 270 },
      'os.getpid(), ctypes.byref(v), 1, ctypes.byref(v), 1, 0',
      'b = ctypes.create_string_buffer(8); v = (ctypes.c_uint64 * 2)(ctypes.addressof(b), 8)',
    ),
  ),
  attack(
    'kernel',
    'load a bpf map',
    callKernel({ x64: 321, arm64: 280 }, '0, ctypes.byref(a), 64', 'a = (ctypes.c_uint32 * 16)(2, 4, 4, 1)'),
  ),
  attack('kernel', 'open a key ring', callKernel({ x64: 250, arm64: 219 }, '0, -3, 1')),
  attack('kernel', 'add a key', callKernel({ x64: 248, arm64: 217 }, 'b"user", b"k", b"v", 1, -3')),
  attack(
    'kernel',
    'set io_uring up',
    callKernel({ x64: 425, arm64: 425 }, '4, ctypes.byref(p)', 'p = (ctypes.c_uint8 * 120)()'),
  ),
  attack('kernel', 'handle page faults of its own', callKernel({ x64: 323, arm64: 282 }, '1')),
  attack(
    'kernel',
    'count performance events',
    callKernel({ x64: 298, arm64: 241 }, 'ctypes.byref(a), 0, -1, -1, 0', 'a = (ctypes.c_uint32 * 28)(1, 112)'),
  ),
  attack('kernel', 'mount by a call', callKernel({ x64: 165, arm64: 40 }, 'b"none", b"/tmp", b"tmpfs", 0, 0')),
  attack('kernel', 'mount by the other interface', callKernel({ x64: 430, arm64: 430 }, 'b"tmpfs", 0')),
  attack('kernel', 'clone a mount tree', callKernel({ x64: 428, arm64: 428 }, '-100, b"/", 1')),
  attack('kernel', 'change the root', callKernel({ x64: 161, arm64: 51 }, 'b"/work"')),
  attack(
    'kernel',
    'open a file by its handle',
    callKernel({ x64: 304, arm64: 265 }, '3, ctypes.byref(h), 0', 'h = (ctypes.c_uint8 * 24)(8, 0, 0, 0, 1)'),
  ),
  attack('kernel', 'load a module', callKernel({ x64: 313, arm64: 273 }, '0, b"", 0')),
  attack('kernel', 'load another kernel', callKernel({ x64: 246, arm64: 104 }, '0, 0, 0, 0')),
  attack(
    'kernel',
    'turn the machine off',
    callKernel({ x64: 169, arm64: 142 }, '0xfee1dead, 672274793, 0x89abcdef, 0'),
  ),
  attack('kernel', 'swap', callKernel({ x64: 167, arm64: 224 }, 'b"/tmp/x", 0')),
  attack(
    'kernel',
    'set the clock',
    callKernel({ x64: 227, arm64: 112 }, '0, ctypes.byref(t)', 't = (ctypes.c_int64 * 2)(1, 0)'),
  ),
  attack(
    'kernel',
    'take a descriptor of another process',
    callKernel({ x64: 438, arm64: 438 }, 'p, 1, 0', 'p = os.pidfd_open(1)'),
  ),
  attack(
    'kernel',
    'read the kernel’s log',
    callKernel({ x64: 103, arm64: 116 }, '3, b, 400', 'b = ctypes.create_string_buffer(400)'),
  ),
  attack(
    'kernel',
    'type into a terminal',
    tryCommand(`python3 -c "import fcntl, pty; m, s = pty.openpty(); fcntl.ioctl(s, 0x5412, b'x')"`),
  ),
  attack(
    'kernel',
    'use the calls of a 32-bit program',
    process.arch === 'x64'
      ? `python3 -c "
import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=7); m.write(bytes.fromhex('b814000000cd80c3'))
f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))
if f() > 0: print('ESCAPED')"`
      : 'true',
  ),
  attack(
    'kernel',
    'use the second table of calls',
    process.arch === 'x64' ? callKernel({ x64: 0x4000_0000 + 39, arm64: 172 }, '') : 'true',
  ),
];

const python = (body: string): string => `python3 - <<'END'
import os, socket, struct
${body}
END`;

const network: Attack[] = [
  attack(
    'network',
    'reach a port on the loopback',
    python('s = socket.create_connection(("127.0.0.1", int(os.environ["PORT"])), 2); print("ESCAPED", s.recv(100))'),
  ),
  attack(
    'network',
    'reach a port on the loopback, version 6',
    python('s = socket.create_connection(("::1", int(os.environ["PORT"])), 2); print("ESCAPED")'),
  ),
  attack(
    'network',
    'reach the host by its address',
    python(
      'for a in os.environ["HOST_ADDRESSES"].split():\n  try: socket.create_connection((a, int(os.environ["PORT"])), 2); print("ESCAPED")\n  except OSError as e: print(e)',
    ),
  ),
  attack(
    'network',
    'reach the metadata service',
    python('s = socket.create_connection(("169.254.169.254", 80), 2); print("ESCAPED")'),
  ),
  attack(
    'network',
    'reach the internet by TCP',
    python('s = socket.create_connection(("1.1.1.1", 443), 2); print("ESCAPED")'),
  ),
  attack(
    'network',
    'send a datagram out',
    python('s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("8.8.8.8", 53)); print("ESCAPED")'),
  ),
  attack(
    'network',
    'broadcast',
    python(
      's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1); s.sendto(b"x", ("255.255.255.255", 9)); print("ESCAPED")',
    ),
  ),
  attack('network', 'resolve a name', python('print("ESCAPED", socket.gethostbyname("example.com"))')),
  attack(
    'network',
    'have an interface besides the loopback',
    `ls /proc/sys/net/ipv4/conf | grep -v -x -E "all|default|lo" && echo ESCAPED; cat /proc/net/route | tail -n +2 | grep . && echo ESCAPED`,
  ),
  attack(
    'network',
    'open a raw socket',
    python('s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); print("ESCAPED")'),
  ),
  attack('network', 'open a packet socket', python('s = socket.socket(17, socket.SOCK_RAW, 0); print("ESCAPED")')),
  attack(
    'network',
    'open a socket to the hypervisor',
    python('s = socket.socket(40, socket.SOCK_STREAM); print("ESCAPED")'),
  ),
  attack(
    'network',
    'open the kernel’s cryptography',
    python('s = socket.socket(38, socket.SOCK_SEQPACKET); print("ESCAPED")'),
  ),
  attack(
    'network',
    'make an interface',
    python(
      's = socket.socket(16, socket.SOCK_RAW, 0); s.bind((0, 0)); s.send(struct.pack("=IHHII", 40, 16, 0x605, 1, 0) + struct.pack("=BxHiII", 0, 0, 0, 1, 1) + struct.pack("=HH4s", 8, 3, b"dum0")); r = s.recv(4096); print("ESCAPED" if struct.unpack("=i", r[16:20])[0] == 0 else "refused")',
    ),
  ),
  attack(
    'network',
    'reach an abstract socket of the host',
    python(
      's = socket.socket(socket.AF_UNIX); s.connect("\\0" + os.environ["ABSTRACT"]); print("ESCAPED", s.recv(100))',
    ),
  ),
  attack(
    'network',
    'reach a socket file of the host',
    python('s = socket.socket(socket.AF_UNIX); s.connect(os.environ["SOCKET_FILE"]); print("ESCAPED", s.recv(100))'),
  ),
  attack(
    'network',
    'reach a container engine',
    tryCommand('[ -S /var/run/docker.sock ] || [ -S /run/docker.sock ] || [ -S /run/podman/podman.sock ]'),
  ),
];

const neighbour: Attack[] = [
  attack(
    'neighbour',
    'read a file of another sandbox',
    'cat neighbour /tmp/neighbour /dev/shm/neighbour 2>/dev/null; ls -A /tmp /dev/shm | grep -q neighbour && echo ESCAPED',
  ),
  attack(
    'neighbour',
    'see a process of another sandbox',
    tryCommand('cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -q "[s]leep 4242"'),
  ),
  attack(
    'neighbour',
    'reach a port of another sandbox',
    python('s = socket.create_connection(("127.0.0.1", 4242), 2); print("ESCAPED")'),
  ),
  attack(
    'neighbour',
    'reach an abstract socket of another sandbox',
    python('s = socket.socket(socket.AF_UNIX); s.connect("\\0neighbour"); print("ESCAPED")'),
  ),
  attack(
    'neighbour',
    'leave start files for the shell that stands ready for the next command',
    'for name in .profile .bashrc .bash_profile .shinit .shrc env; do echo "echo ESCAPED" > "$HOME/$name"; chmod +x "$HOME/$name"; done; sleep 0.2',
  ),
  attack(
    'neighbour',
    'give an order to the first process in place of the host',
    'sleep 0.1; for fd in 0 3 4 5 6 7 8; do (echo "{ echo ESCAPED; }" > "/proc/1/fd/$fd") 2>/dev/null; done; true',
  ),
  attack('neighbour', 'find shared memory of another sandbox', tryCommand('tail -n +2 /proc/sysvipc/shm | grep -q .')),
];

/** An image has users, folders and kernel files of its own, and its user is root's to choose. */
const OUR_VIEW = new Set([
  ...[
    'see users of the host',
    'find host folders',
    'open /sys',
    'be root',
    'see the canary in the shared temporary folder',
  ],
]);

export const attacks: readonly Attack[] = [...files, ...proc, ...privilege, ...kernel, ...network, ...neighbour].map(
  (each) => (OUR_VIEW.has(each.name) ? { ...each, view: 'ours' } : each),
);
