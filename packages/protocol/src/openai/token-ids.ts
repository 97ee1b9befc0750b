import { z } from 'zod';

/** Whether it is a list of token ids. One loop: these lists are long. */
export function isTokenIds(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false;
  for (const id of value) if (!Number.isInteger(id) || id < 0 || id > 0x7fff_ffff) return false;
  return true;
}

/** Whether it is a list of finite numbers. */
export function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'number' && Number.isFinite(each));
}

export const tokenIdsSchema = z.custom<number[]>(isTokenIds, { error: 'is not a list of token ids' });

export const numbersSchema = z.custom<number[]>(isNumbers, { error: 'is not a list of finite numbers' });
