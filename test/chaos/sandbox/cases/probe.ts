/**
 * One request to the kernel that code in a sandbox has no business making. `ask` is a Python expression; it is evaluated in a
 * process of its own, and the probe got through when the expression is true. An error of the system is a refusal.
 */
export interface Probe {
  readonly name: string;
  /**
   * Who refuses it: every wall, or our own filter alone. What only the filter refuses does no harm where it passes; it is kept
   * from code because kernels were broken through it, and other engines have filters of their own.
   */
  readonly wall: 'every' | 'filter';
  readonly ask: string;
}

export const every = (name: string, ask: string): Probe => ({ name, wall: 'every', ask });
export const filter = (name: string, ask: string): Probe => ({ name, wall: 'filter', ask });

/** Evaluates the probes one by one and prints a line of JSON for each: its number and what came of it. */
export function writeProbeProgram(probes: readonly Probe[]): string {
  const asked = JSON.stringify(JSON.stringify(probes.map(({ ask }) => ask)));
  return `
import ctypes, fcntl, json, os, platform, resource, signal, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ARM = platform.machine() == 'aarch64'
def call(numbers, *args):
  """A system call by its two numbers; true when the kernel did it."""
  number = numbers if isinstance(numbers, int) else numbers[1 if ARM else 0]
  if number is None: raise OSError('not on this machine')
  # A clone that succeeds comes back twice.
  result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
  if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
  return True
def words(*values): return ctypes.byref((ctypes.c_uint64 * len(values))(*values))
def halves(*values): return ctypes.byref((ctypes.c_uint32 * max(len(values), 64))(*values))
def room(size=4096): return ctypes.create_string_buffer(size)
def fd(path, flags=os.O_RDONLY): return os.open(path, flags)
def put(path, text):
  with open(path, 'w') as f: f.write(text)
  return True
def got(path):
  with open(path, 'rb') as f: return len(f.read(64)) > 0
def sock(family, kind=socket.SOCK_DGRAM, protocol=0):
  for k in (kind, socket.SOCK_DGRAM, socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
    try: return bool(socket.socket(family, k, protocol))
    except OSError as e: last = e
  raise last
def option(s, level, name, value):
  s.setsockopt(level, name, value)
  return True
def netlink(protocol, kind, flags, body):
  s = socket.socket(16, socket.SOCK_RAW, protocol); s.bind((0, 0)); s.settimeout(2)
  s.send(struct.pack('=IHHII', 16 + len(body), kind, flags | 5, 1, 0) + body)
  reply = s.recv(8192)
  return struct.unpack('=H', reply[4:6])[0] == 2 and struct.unpack('=i', reply[16:20])[0] == 0
def control(f, request, value):
  fcntl.ioctl(f, request, value)
  return True
def prctl(*args): return call((157, 167), *args)
tcp = lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)
udp = lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for index, ask in enumerate(json.loads(${asked})):
  r, w = os.pipe()
  pid = os.fork()
  if pid == 0:
    signal.alarm(10)
    try: said = ['through', ''] if eval(ask) else ['refused', 'nothing came of it']
    except OSError as e: said = ['refused', str(e)]
    # What Python makes of a limit that cannot be raised.
    except ValueError as e: said = ['refused' if 'maximum limit' in str(e) else 'broken', str(e)]
    except BaseException as e: said = ['broken', repr(e)]
    os.write(w, json.dumps(said).encode() + b'\\n'); os._exit(0)
  os.close(w); os.waitpid(pid, 0)
  said = os.read(r, 65536); os.close(r)
  # One that was killed for its question was not answered.
  print(json.dumps([index, *(json.loads(said.split(b'\\n')[0]) if said else ['refused', 'it was killed'])]), flush=True)
`;
}
