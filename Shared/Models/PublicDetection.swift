import CaptureProtocol

/// The public part of a device's own report (SPEC §3): known members with numbers, booleans and known strings, at most two levels deep. All
/// other values may be a location, an id or free text, so only the owner sees them.
enum PublicDetection {
    /// The values allowed for a known member.
    private enum Kind {
        case flag
        /// 0...1, rounded to three decimals: enough for a score, too coarse for a coordinate.
        case share
        case whole(ClosedRange<Double>)
        case word(Set<String>)
    }

    /// Members of the report and of its groups, in snake case.
    private static let members: [String: Kind] = [
        "detected": .flag, "real": .flag, "is_real": .flag, "is_likely_real_scene": .flag, "is_likely_screen": .flag,
        "is_likely_print": .flag, "is_likely_recaptured": .flag,
        "score": .share, "confidence": .share, "overall_confidence": .share, "coverage": .share,
        "version": .whole(0...999), "duration_ms": .whole(0...600_000), "peak_count": .whole(0...999), "frame_count": .whole(0...99_999),
        "verdict": .word(["real", "flat", "screen", "print", "recaptured", "undecided", "unknown"]),
        "status": .word(["completed", "partial", "skipped", "unavailable", "failed"]),
        "level": .word(["high", "medium", "low", "none"]),
        "screen_type": .word(["lcd", "led", "oled", "crt", "eink", "projector", "unknown"]),
        "material": .word(["scene", "screen", "paper", "unknown"]),
    ]

    /// Detection methods, each a group of the members above.
    private static let groups: Set<String> = [
        "moire", "texture", "flicker", "halftone", "reflection", "glare", "edges", "depth", "focus", "lighting", "noise", "screen", "print",
        "overall",
    ]

    /// All spellings of public names: `is_likely_screen` and `isLikelyScreen`.
    private static let spellings: [String: Kind] = {
        var spellings = members
        for (name, kind) in members { spellings[camelCase(name)] = kind }
        return spellings
    }()

    /// - Returns: `nil` if no member is public.
    static func form(of report: StrictJSON) -> StrictJSON? {
        guard case .object(let members) = report else { return nil }
        var shown = known(members)
        for (name, value) in members where groups.contains(name) {
            guard case .object(let inner) = value else { continue }
            let group = known(inner)
            if !group.isEmpty { shown[name] = .object(group) }
        }
        return shown.isEmpty ? nil : .object(shown)
    }

    private static func known(_ members: [String: StrictJSON]) -> [String: StrictJSON] {
        var shown: [String: StrictJSON] = [:]
        for (name, value) in members {
            guard let kind = spellings[name], let value = checked(value, kind) else { continue }
            shown[name] = value
        }
        return shown
    }

    private static func checked(_ value: StrictJSON, _ kind: Kind) -> StrictJSON? {
        switch (kind, value) {
        case (.flag, .bool): value
        case (.share, .number(let number)) where (0...1).contains(number): .number((number * 1000).rounded() / 1000)
        case (.whole(let range), .number(let number)) where range.contains(number) && number == number.rounded(): value
        case (.word(let words), .string(let word)) where words.contains(word): value
        default: nil
        }
    }

    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
