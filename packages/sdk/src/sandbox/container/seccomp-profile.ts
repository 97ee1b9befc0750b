import { ALLOWED_CALLS, MEMORY_CALLS, NAMESPACE_FLAGS, SOCKET_FAMILIES } from '../namespace/system-calls.ts';

const ALLOW = 'SCMP_ACT_ALLOW';
const REFUSE = 'SCMP_ACT_ERRNO';
const EPERM = 1;
const ENOSYS = 38;

/** The list of allowed system calls as container engines read it. Calls that an engine does not know yet it leaves out. */
export function createSeccompProfile(): string {
  return JSON.stringify({
    defaultAction: REFUSE,
    defaultErrnoRet: EPERM,
    architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
    syscalls: [
      { names: [...Object.keys(ALLOWED_CALLS), ...Object.keys(MEMORY_CALLS)], action: ALLOW },
      { names: ['ioctl', 'getsockopt', 'setsockopt'], action: ALLOW },
      {
        names: ['clone'],
        action: ALLOW,
        args: [{ index: 0, value: NAMESPACE_FLAGS, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
      },
      // Its flags are behind a pointer, which a filter cannot read; C libraries fall back to clone.
      { names: ['clone3'], action: REFUSE, errnoRet: ENOSYS },
      ...SOCKET_FAMILIES.map((value) => ({
        ...{ names: ['socket'], action: ALLOW },
        args: [{ index: 0, value, valueTwo: 0, op: 'SCMP_CMP_EQ' }],
      })),
    ],
  });
}
