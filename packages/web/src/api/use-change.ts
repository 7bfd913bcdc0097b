import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query'
import { announce } from '../ui/overlay/toasts.tsx'

interface ChangeOptions<Input, Answer> {
  readonly send: (input: Input) => Promise<Answer>
  /** What it concerns, as the stream of changes names it; asked again afterwards. */
  readonly topics: readonly string[]
  /** What was done, in one sentence; none = the page shows it itself. */
  readonly done?: (answer: Answer, input: Input) => string
  readonly onDone?: (answer: Answer, input: Input) => void
}

/** Something that a person does on the hub: said when it was done, kept as `error` when it was not. */
export function useChange<Input = void, Answer = unknown>(
  options: ChangeOptions<Input, Answer>,
): UseMutationResult<Answer, Error, Input> {
  const { send, topics, done, onDone } = options
  const queries = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: async (answer, input) => {
      if (done !== undefined) announce(done(answer, input))
      onDone?.(answer, input)
      await queries.invalidateQueries({ predicate: ({ queryKey }) => topics.includes(String(queryKey[0])) })
    },
  })
}
