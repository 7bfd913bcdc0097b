import { clsx, type ClassValue } from 'clsx'
import { twMerge } from 'tailwind-merge'

/** Class names joined; of two that set the same, the later one counts. */
export function cn(...classes: ClassValue[]): string {
  return twMerge(clsx(classes))
}
