internal import ArgumentParser

/// The output that is coloured.
package enum ColorMode: String, ExpressibleByArgument, CaseIterable {
    /// A terminal's, unless `NO_COLOR` is set.
    case auto
    case always, never
}

/// The colours of a command that prints for people.
package struct ColorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Color the output; auto: on a terminal, unless NO_COLOR is set.", valueName: "when"))
    package var color = ColorMode.auto

    /// The default.
    package init() {}
}
