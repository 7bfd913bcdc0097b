import type { Severity } from '@herma/contract'
import { foldText } from './confusables.ts'
import type { TextFinding } from './hidden-characters.ts'

/**
 * Finds text that gives orders to the model instead of describing a tool. It is matched as a reader takes it, so letters
 * that only look Latin and characters between them do not help. Every repetition is bounded or tried once: time grows with the text.
 */
export function findInstructions(text: string): { readonly folded: string; readonly findings: TextFinding[] } {
  const folded = foldText(text)
  const findings = rules.flatMap(({ rule, severity, pattern, message }) => {
    const match = pattern.exec(folded)
    return match === null ? [] : [{ rule, severity, at: match.index, length: match[0].length, message }]
  })
  return { folded, findings }
}

interface InstructionRule {
  readonly rule: string
  readonly severity: Severity
  readonly pattern: RegExp
  readonly message: string
}

const secretFile = String.raw`(?:~|\$home|%userprofile%|/root|/home/[\w.-]{1,40}|/users/[\w.-]{1,40})[/\\]\.(?:ssh|aws|gnupg|kube|netrc|npmrc|pgpass|docker|azure|config/gcloud|cursor|claude|bash_history|zsh_history)|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)\b`
const privateText = String.raw`(?:conversation|chat history|previous messages|message history|system prompt|hidden instructions)`
const secretText = String.raw`(?:api[ _-]?keys?|credentials|passwords?|secrets|private keys?|access tokens?|environment variables|env vars)`

const rules: readonly InstructionRule[] = [
  {
    rule: 'overrides-instructions',
    severity: 'danger',
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}?\b(?:(?:previous|prior|above|earlier|preceding|system|your|existing)\b[^.\n]{0,30}?\b(?:instructions?|prompts?|rules|guidelines|directives|messages)|(?:all|any) (?:other )?(?:instructions|prompts))\b/i,
    message: 'It tells the model to ignore what it was told.',
  },
  {
    rule: 'keeps-secret-from-user',
    severity: 'danger',
    pattern:
      /\b(?:do not|don't|never|must not|should not|without)\s+(?:\w+\s+){0,2}?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|disclose|alert|alerting)\b[^.\n]{0,40}?\b(?:the|your) (?:user|human|customer)\b(?!['\u2019]s)/i,
    message: 'It tells the model to keep something from the user.',
  },
  {
    rule: 'prompt-marker',
    severity: 'danger',
    pattern:
      /<\/?(?:important|critical|system[-_ ]?(?:prompt|message|reminder|instructions?))\s{0,4}\/?>|<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?inst\]|<<\/?sys>>|\n\n(?:human|assistant): |^\s{0,4}#{1,4} {0,2}system\s{0,2}:/im,
    message: 'It holds a marker that belongs to a prompt, not to a description.',
  },
  {
    rule: 'prompt-tag',
    severity: 'warning',
    pattern: /<\/(?:system|instructions?|assistant|secret|hidden|admin)>/i,
    message: 'It holds a pair of tags as prompts use them.',
  },
  {
    rule: 'changes-role',
    severity: 'danger',
    pattern:
      /\bnew (?:system )?instructions?\s{0,2}:|\byou are now (?:a|an|in|the|no longer)\b|\bfrom now on,? (?:you|always|never|ignore)\b/i,
    message: 'It gives the model another role or new instructions.',
  },
  {
    rule: 'reads-secret-file',
    severity: 'danger',
    pattern: new RegExp(
      String.raw`\b(?:read|cat|open|load|include|send|pass|upload|attach|paste|copy|print|contents? of)\b[^\n]{0,60}?(?:${secretFile})`,
      'i',
    ),
    message: 'It asks for a file that holds secrets.',
  },
  {
    rule: 'sends-secrets',
    severity: 'danger',
    pattern: new RegExp(
      String.raw`\b(?:send|post|upload|forward|exfiltrate|transmit|leak|email|submit|report)\b[^.\n]{0,60}?\b(?:${privateText}|${secretText})\b[^.\n]{0,40}?\b(?:to|at|via)\b[^.\n]{0,20}?(?:https?://|[\w.+-]{1,40}@[\w-]{1,40}\.)`,
      'i',
    ),
    message: 'It asks to send secrets or the conversation to an address.',
  },
  {
    rule: 'reveals-prompt',
    severity: 'danger',
    pattern:
      /\b(?:reveal|print|repeat|output|return|include|send|pass|append)\b[^.\n]{0,30}?\byour (?:system prompt|initial instructions|hidden instructions|full instructions)\b/i,
    message: 'It asks the model for its own instructions.',
  },
  {
    rule: 'collects-conversation',
    severity: 'warning',
    pattern: new RegExp(
      String.raw`\b(?:include|pass|put|append|add|provide|copy|fill)\b[^.\n]{0,50}?\b${privateText}\b[^.\n]{0,40}?\b(?:parameter|argument|field|tool)\b`,
      'i',
    ),
    message: 'It asks for the conversation as an argument.',
  },
  {
    rule: 'steers-other-tools',
    severity: 'warning',
    pattern:
      /\b(?:before|after|when(?:ever)?|instead of|rather than|prior to)\s+(?:(?:using|calling|invoking|running|executing)\s+)?(?:any|all|every|each)\s+(?:of\s+)?(?:the\s+)?(?:other\s+)?(?:tools?|functions?)\b|\b(?:do not|don't|never)\s+(?:use|call|invoke)\s+(?:any|all)\s+(?:other\s+)?(?:tools?|functions?)\b/i,
    message: 'It says how other tools are to be used.',
  },
  {
    rule: 'demands-use',
    severity: 'info',
    pattern:
      /\b(?:always|must)\s+(?:be\s+)?(?:first\s+)?(?:call|called|use|used|invoke|invoked|run)\s+(?:this (?:tool|function)|first)\b/i,
    message: 'It demands to be used.',
  },
  {
    rule: 'remote-image',
    severity: 'warning',
    pattern: /!\[[^\]\n]{0,200}\]\(https?:\/\//i,
    message: 'It holds a picture from elsewhere; showing it tells its server what the address holds.',
  },
  {
    rule: 'address-with-placeholder',
    severity: 'warning',
    pattern: /\bhttps?:\/\/[^\s"'<>`]{1,300}?[?&][\w.-]{1,40}=(?:\$?\{|<|%s|\[)/i,
    message: 'It holds an address to be filled in, which can carry data away.',
  },
  {
    rule: 'long-address',
    severity: 'warning',
    pattern: /\bhttps?:\/\/[^\s"'<>`]{400}/i,
    message: 'It holds a very long address.',
  },
  {
    rule: 'encoded-text',
    severity: 'warning',
    // Looked at from where a run of such characters begins, so that each is read a few times only.
    pattern:
      /\bdata:[\w.+/-]{1,60};base64,[A-Za-z0-9+/]{100}|(?<![A-Za-z0-9+/])(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])[A-Za-z0-9+/]{120}|\b[0-9a-fA-F]{160}/,
    message: 'It holds a long piece of encoded text, which nobody can review.',
  },
  {
    rule: 'hidden-comment',
    severity: 'warning',
    pattern: /<!--[^>]{3}/,
    message: 'It holds a comment, which many viewers do not show.',
  },
  {
    rule: 'pushed-out-of-sight',
    severity: 'warning',
    pattern: /\S\s{0,5}(?:[ \t\u00a0]{150}|(?:\n[ \t]{0,3}){30})\s{0,400}\S/,
    message: 'It has text behind a long empty space.',
  },
]
