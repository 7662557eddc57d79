extension Report {
    /// The style: colours that differ in lightness too, for those who do not see red and green, and for grey printers.
    static let style = """
        :root { --ink: #1b1f24; --soft: #59636e; --paper: #fff; --line: #d1d9e0; --full: #2da44e; --partial: #9bd4a8;
          --portal: #8250df; --local: #fb8f44; --none: #b3201f; --unknown: #c8cfd6 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --line: #3d444d;
          --full: #2f8f4a; --partial: #7cc48f; --portal: #a371f7; --local: #f0883e; --none: #f85149; --unknown: #4b535d } }
        * { box-sizing: border-box }
        body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto;
          padding: 24px; max-width: 960px }
        h1 { font-size: 24px; margin: 0 } h2 { font-size: 17px; margin: 28px 0 8px }
        header p, footer { color: var(--soft) } header p { margin: 4px 0 20px } footer { margin-top: 28px; font-size: 13px }
        dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 10px; margin: 0 }
        dl div { border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px }
        dt, small { color: var(--soft); font-size: 12px } dd { margin: 0; font-size: 20px; font-weight: 600 }
        dd small { display: block; font-weight: 400 } td small { font-size: inherit }
        table { border-collapse: collapse; width: 100%; font-size: 13px } .wide { overflow-x: auto }
        th, td { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line);
          font-variant-numeric: tabular-nums }
        th { font-weight: 600 } td { white-space: nowrap } .number, .times td, .times thead th { text-align: right }
        .evidence { white-space: normal; overflow-wrap: anywhere; min-width: 180px; color: var(--soft) }
        svg { width: 100%; height: auto; font-size: 11px; font-variant-numeric: tabular-nums } svg text { fill: var(--ink) }
        svg .head { fill: var(--soft) }
        .full { fill: var(--full); background: var(--full) } .partial { fill: var(--partial); background: var(--partial) }
        .portal { fill: var(--portal); background: var(--portal) } .local { fill: var(--local); background: var(--local) }
        .none { fill: var(--none); background: var(--none) } .unknown { fill: var(--unknown); background: var(--unknown) }
        .legend { margin: 0 0 8px; font-size: 13px; color: var(--soft) } .legend span { margin-right: 12px }
        .legend i { display: inline-block; width: 11px; height: 11px; margin-right: 5px; border-radius: 2px }
        @page { size: A4; margin: 14mm }
        @media print { :root { --ink: #000; --soft: #444; --paper: #fff; --line: #bbb; --full: #2da44e; --partial: #9bd4a8;
          --portal: #8250df; --local: #fb8f44; --none: #b3201f; --unknown: #c8cfd6 }
          body { padding: 0; max-width: none; font-size: 11px } table { font-size: 9.5px } .wide { overflow: visible }
          dl { grid-template-columns: repeat(3, 1fr) } dd { font-size: 15px }
          * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
          tr, dl div, svg { break-inside: avoid } thead { display: table-header-group } h2 { break-after: avoid } }
        """
}
