import {
  ALLOWED_CALLS,
  FIRST_RECENT_CALL,
  JUDGED_CALLS,
  MEMORY_CALLS,
  NAMESPACE_FLAGS,
  SOCKET_FAMILIES,
} from './system-calls.ts';
import type { SystemCall } from './system-calls.ts';

type ArchitectureName = keyof SystemCall;

interface Architecture {
  readonly name: ArchitectureName;
  readonly audit: number;
  /** Calls with this bit belong to a second table of the same machine (x32). */
  readonly foreignFrom?: number;
}

const architectures: Readonly<Record<string, Architecture>> = {
  x64: { name: 'x64', audit: 0xc000_003e, foreignFrom: 0x4000_0000 },
  arm64: { name: 'arm64', audit: 0xc000_00b7 },
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
const ENOPROTOOPT = 92;
const EAFNOSUPPORT = 97;

/** Typing into a terminal on behalf of whoever sits at it. */
const TERMINAL_INJECTION = [0x5412, 0x541c] as const;
const SOL_SOCKET = 1;
/** A handle of the process at the other end, which for a command's input and output is the process that made the sandbox. */
const SO_PASSPIDFD = 76;
const SO_PEERPIDFD = 77;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const FIRST_ARGUMENT_AT = 16;
const SECOND_ARGUMENT_AT = 24;
const THIRD_ARGUMENT_AT = 32;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

export interface SeccompFilterOptions {
  readonly architecture?: string;
  /** A control group counts memory that belongs to no process. Where none does, calls that take such memory are refused. */
  readonly hasControlGroup?: boolean;
}

/**
 * A program for the kernel's packet-filter machine, which decides about each system call: those on the list pass, a few by their
 * arguments, and all others are refused. Undefined for an architecture without a table here.
 */
export function createSeccompFilter({
  architecture = process.arch,
  hasControlGroup = true,
}: SeccompFilterOptions = {}): Uint8Array | undefined {
  const machine = architectures[architecture];
  if (machine === undefined) return undefined;
  const { name } = machine;
  const refuse = (errno: number): Instruction => [RETURN, 0, 0, ERRNO | errno];
  const allow: Instruction = [RETURN, 0, 0, ALLOW];
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [JUMP_EQUAL, 1, 0, machine.audit],
    refuse(EPERM),
    [LOAD, 0, 0, NUMBER_AT],
  ];
  if (machine.foreignFrom !== undefined) program.push([JUMP_AT_LEAST, 0, 1, machine.foreignFrom], refuse(EPERM));
  const judge = (call: SystemCall, judgement: readonly Instruction[]): void => {
    const number = call[name];
    if (number !== undefined) program.push([JUMP_EQUAL, 0, judgement.length, number], ...judgement);
  };
  // Its flags are behind a pointer, which a filter cannot read; C libraries fall back to clone.
  judge(JUDGED_CALLS.clone3, [refuse(ENOSYS)]);
  judge(JUDGED_CALLS.clone, [
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    [JUMP_ANY_BIT, 0, 1, NAMESPACE_FLAGS],
    refuse(EPERM),
    allow,
  ]);
  judge(JUDGED_CALLS.socket, [
    [LOAD, 0, 0, FIRST_ARGUMENT_AT],
    ...SOCKET_FAMILIES.flatMap((family): Instruction[] => [[JUMP_EQUAL, 0, 1, family], allow]),
    refuse(EAFNOSUPPORT),
  ]);
  judge(JUDGED_CALLS.ioctl, [
    [LOAD, 0, 0, SECOND_ARGUMENT_AT],
    ...TERMINAL_INJECTION.flatMap((request): Instruction[] => [[JUMP_EQUAL, 0, 1, request], refuse(EPERM)]),
    allow,
  ]);
  for (const call of [JUDGED_CALLS.getsockopt, JUDGED_CALLS.setsockopt]) {
    judge(call, [
      [LOAD, 0, 0, SECOND_ARGUMENT_AT],
      [JUMP_EQUAL, 1, 0, SOL_SOCKET],
      allow,
      [LOAD, 0, 0, THIRD_ARGUMENT_AT],
      ...[SO_PASSPIDFD, SO_PEERPIDFD].flatMap((option): Instruction[] => [
        [JUMP_EQUAL, 0, 1, option],
        refuse(ENOPROTOOPT),
      ]),
      allow,
    ]);
  }
  const calls = [...Object.values(ALLOWED_CALLS), ...(hasControlGroup ? Object.values(MEMORY_CALLS) : [])];
  for (const [first, last] of findRanges(calls.flatMap((call) => call[name] ?? []))) {
    program.push([JUMP_AT_LEAST, 0, 2, first], [JUMP_AT_LEAST, 1, 0, last + 1], allow);
  }
  // To a kernel without the call programs have an answer; to one that forbids it some have none.
  program.push([JUMP_AT_LEAST, 0, 1, FIRST_RECENT_CALL], refuse(ENOSYS), refuse(EPERM));
  return encode(program);
}

function findRanges(numbers: readonly number[]): [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((left, right) => left - right)) {
    const range = ranges.at(-1);
    if (range !== undefined && number <= range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
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
