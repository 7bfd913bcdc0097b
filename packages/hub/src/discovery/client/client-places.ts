import { join } from 'node:path'

/** Where a client keeps its configuration. */
export interface ClientPlace {
  /** Unique; the file of a project has its folder behind a colon. */
  readonly id: string
  readonly title: string
  readonly file: string
}

export interface ClientMachine {
  readonly home: string
  /** The folder that the hub runs in. */
  readonly folder: string
  readonly platform: NodeJS.Platform
  readonly env: NodeJS.ProcessEnv
}

/** The configuration files of known clients on Linux and macOS. */
export function clientPlaces({ home, platform, env, folder }: ClientMachine): ClientPlace[] {
  const applications =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : env['XDG_CONFIG_HOME'] || join(home, '.config')
  return [
    { id: 'claude-code', title: 'Claude Code', file: join(home, '.claude.json') },
    projectPlace(folder),
    { id: 'claude-desktop', title: 'Claude Desktop', file: join(applications, 'Claude', 'claude_desktop_config.json') },
    { id: 'codex', title: 'Codex', file: join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml') },
    { id: 'cursor', title: 'Cursor', file: join(home, '.cursor', 'mcp.json') },
    { id: 'vscode', title: 'VS Code', file: join(applications, 'Code', 'User', 'mcp.json') },
    { id: 'windsurf', title: 'Windsurf', file: join(home, '.codeium', 'windsurf', 'mcp_config.json') },
    // Zed keeps its settings in .config on macOS too.
    { id: 'zed', title: 'Zed', file: join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'zed', 'settings.json') },
    { id: 'gemini', title: 'Gemini CLI', file: join(home, '.gemini', 'settings.json') },
  ]
}

/** The file that Claude Code reads in the folder of a project. */
export function projectPlace(folder: string): ClientPlace {
  return { id: `claude-code:${folder}`, title: 'Claude Code, project', file: join(folder, '.mcp.json') }
}
