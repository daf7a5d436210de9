// How a text is shown: rendered, as text, or as JSON. Guarantee: the choice is kept in the page's link and needs no
// script.

export const VIEWS = ['markdown', 'text', 'json'] as const
export type View = (typeof VIEWS)[number]

export interface Viewing {
  /** The first applicable view where undefined or not applicable. */
  view: View | undefined
  /** The page's link with another view. */
  link(view: View): string
}

const NAMES: Record<View, string> = { markdown: 'Markdown', text: 'Text', json: 'JSON' }

interface ViewLinksProps {
  of: readonly View[]
  shown: View
  link: Viewing['link']
}

export const ViewLinks = ({ of, shown, link }: ViewLinksProps) => (
  <>
    {of.length > 1 &&
      of.map(view => (
        <>
          {' · '}
          {view === shown ? <b>{NAMES[view]}</b> : <a href={link(view)}>{NAMES[view]}</a>}
        </>
      ))}
  </>
)
