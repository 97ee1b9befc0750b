/*
 * A program for the kernel's packet-filter machine, which decides about each system call. Numbers are from the kernel's
 * tables for the two architectures; a call that an architecture lacks is simply not listed.
 */
interface Architecture {
  readonly audit: number;
  /** Calls with this bit belong to a second table of the same machine (x32). */
  readonly foreignFrom?: number;
  readonly clone: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly denied: readonly number[];
}

/** Same numbers on every architecture since 5.x: io_uring (3), mount's successors, pidfd_getfd, quotactl_fd, memfd_secret. */
const DENIED_EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 440, 442, 443, 447] as const;
const CLONE3 = 435;

const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000_003e,
    foreignFrom: 0x4000_0000,
    clone: 56,
    socket: 41,
    ioctl: 16,
    denied: [
      ...[101, 310, 311, 312, 321, 250, 248, 249, 323, 165, 166, 155, 161, 272, 308, 298],
      ...[246, 320, 175, 313, 176, 169, 167, 168, 163, 179, 304, 303, 172, 173, 164, 227],
      ...[305, 159, 170, 171, 103, 212, 135, 154, 134, 153, 180, 279, 256, 237, 238, 300, 174, 177, 178],
    ],
  },
  arm64: {
    audit: 0xc000_00b7,
    clone: 220,
    socket: 198,
    ioctl: 29,
    denied: [
      ...[117, 270, 271, 272, 280, 219, 217, 218, 282, 40, 39, 41, 51, 97, 268, 241, 104, 294],
      ...[105, 273, 106, 142, 224, 225, 89, 60, 265, 264, 170, 112, 266, 171, 161, 162, 116, 18],
      ...[92, 239, 238, 235, 237, 262, 58, 42],
    ],
  },
};

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** New mount, cgroup, uts, ipc, user, pid and network namespaces. */
const NAMESPACE_FLAGS = 0x7e02_0000;
/** Unix, both internets, and netlink for asking which interfaces there are. No vsock, which no network namespace confines. */
const SOCKET_FAMILIES = [1, 2, 10, 16] as const;
/** Typing into a terminal on behalf of whoever sits at it. */
const TERMINAL_INJECTION = [0x5412, 0x541c] as const;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const FIRST_ARGUMENT_AT = 16;
const SECOND_ARGUMENT_AT = 24;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/**
 * Refuses what a program in a sandbox has no use for and what kernels were broken through: new namespaces, mounts, tracing,
 * bpf, key rings, io_uring, userfaultfd, modules. Undefined for an architecture without a table here.
 */
export function createSeccompFilter(architecture: string = process.arch): Uint8Array | undefined {
  const table = architectures[architecture];
  if (table === undefined) return undefined;
  const refuse = (errno: number): Instruction => [RETURN, 0, 0, ERRNO | errno];
  const allow: Instruction = [RETURN, 0, 0, ALLOW];
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, table.audit],
    refuse(EPERM),
    [LOAD, 0, 0, NUMBER_AT],
  ];
  if (table.foreignFrom !== undefined) program.push([JUMP_AT_LEAST, 0, 1, table.foreignFrom], refuse(EPERM));
  for (const number of [...table.denied, ...DENIED_EVERYWHERE]) program.push([JUMP_EQUAL, 0, 1, number], refuse(EPERM));
  // Its flags are behind a pointer, which a filter cannot read; C libraries fall back to clone.
  program.push([JUMP_EQUAL, 0, 1, CLONE3], refuse(ENOSYS));
  const clone: Instruction[] = [
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    [JUMP_ANY_BIT, 0, 1, NAMESPACE_FLAGS],
    refuse(EPERM),
    allow,
  ];
  program.push([JUMP_EQUAL, 0, clone.length, table.clone], ...clone);
  const socket: Instruction[] = [
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    ...SOCKET_FAMILIES.flatMap((family): Instruction[] => [[JUMP_EQUAL, 0, 1, family], allow]),
    refuse(EAFNOSUPPORT),
  ];
  program.push([JUMP_EQUAL, 0, socket.length, table.socket], ...socket);
  const ioctl: Instruction[] = [
    [LOAD, 0, 0, SECOND_ARGUMENT_AT],
    ...TERMINAL_INJECTION.flatMap((request): Instruction[] => [[JUMP_EQUAL, 0, 1, request], refuse(EPERM)]),
    allow,
  ];
  program.push([JUMP_EQUAL, 0, ioctl.length, table.ioctl], ...ioctl, allow);
  return encode(program);
}

function encode(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, whenTrue, whenFalse, value], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, whenTrue);
    view.setUint8(index * 8 + 3, whenFalse);
    view.setUint32(index * 8 + 4, value >>> 0, true);
  });
  return new Uint8Array(view.buffer);
}
