import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import type { ComponentProps } from 'react'
import { cn } from './cn.ts'

export const buttonStyle = cva(
  'inline-flex items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none disabled:opacity-50 aria-disabled:opacity-60 pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-accent-ink hover:bg-accent-hover',
        outline: 'border border-line-strong bg-surface text-ink hover:bg-well',
        ghost: 'text-ink-2 hover:bg-well hover:text-ink',
        danger: 'border border-line-strong bg-surface text-bad hover:bg-bad-soft',
      },
      size: {
        sm: 'h-7 px-2.5 text-sm',
        md: 'h-8 px-3 text-base',
        icon: 'size-7 pointer-coarse:size-11',
      },
    },
    defaultVariants: { variant: 'outline', size: 'md' },
  },
)

export type ButtonProps = ComponentProps<'button'> &
  VariantProps<typeof buttonStyle> & {
    /** Something is under way that this button began. */
    pending?: boolean | undefined
  }

export function Button({ className, variant, size, pending, children, type = 'button', ...rest }: ButtonProps) {
  return (
    // eslint-disable-next-line react/button-has-type
    <button type={type} className={cn(buttonStyle({ variant, size }), className)} aria-busy={pending} {...rest}>
      {pending && <LoaderCircle className="animate-spin" aria-hidden />}
      {children}
    </button>
  )
}

/** A button that is only a sign; its label is its name and its tooltip. */
export function IconButton({ label, className, children, pending, ...rest }: ButtonProps & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-busy={pending}
      className={cn(buttonStyle({ variant: 'ghost', size: 'icon' }), className)}
      {...rest}
    >
      {children}
    </button>
  )
}
