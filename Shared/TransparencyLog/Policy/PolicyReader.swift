/// Reads a policy line by line. Names are bytes, never text: two spellings of a letter are two names.
struct PolicyReader {
    private(set) var logs: [TrustedLog] = []
    private(set) var witnesses: [TrustedWitness] = []
    private(set) var quorum = Quorum()
    private(set) var hasQuorum = false

    /// Names of witnesses and groups, with the index of their rule.
    private var names: [[UInt8]: Int] = [:]
    private var members: Set<Int> = []
    private var groupCount = 0

    private static let reserved = Set(["none", "all", "any"].map { Array($0.utf8) })

    mutating func read(_ bytes: [UInt8]) throws(TransparencyLogError) {
        guard bytes.count <= TrustPolicy.maximumBytes else { throw TransparencyLogError(.tooLong, "has more than 256 KiB") }
        guard bytes.allSatisfy({ $0 == 0x09 || $0 == 0x0a || ($0 >= 0x20 && $0 != 0x7f) }) else {
            throw malformed("has a control character")
        }
        var reader = LineReader(bytes)
        while let line = reader.next() {
            let items = line.split { $0 == 0x20 || $0 == 0x09 }.map(Array.init)
            guard let first = items.first, first.first != UInt8(ascii: "#") else { continue }
            let rest = Array(items.dropFirst())
            switch String(decoding: first, as: UTF8.self) {
            case "log": try readLog(rest)
            case "witness": try readWitness(rest)
            case "group": try readGroup(rest)
            case "quorum": try readQuorum(rest)
            default: throw malformed("has an unknown line")
            }
        }
        guard reader.rest.isEmpty else { throw malformed("does not end in LF") }
    }

    private mutating func readLog(_ items: [[UInt8]]) throws(TransparencyLogError) {
        guard (1...2).contains(items.count), logs.count < TrustPolicy.maximumLines else {
            throw malformed("has a malformed log line, or too many")
        }
        logs.append(TrustedLog(key: try key(items[0], .log), url: Self.url(items.dropFirst(1))))
    }

    private mutating func readWitness(_ items: [[UInt8]]) throws(TransparencyLogError) {
        guard (2...3).contains(items.count), witnesses.count < TrustPolicy.maximumLines else {
            throw malformed("has a malformed witness line, or too many")
        }
        let key = try key(items[1], .witness)
        try define(items[0], .witness(key))
        witnesses.append(TrustedWitness(name: items[0], key: key, url: Self.url(items.dropFirst(2))))
    }

    private mutating func readGroup(_ items: [[UInt8]]) throws(TransparencyLogError) {
        guard items.count >= 3, groupCount < TrustPolicy.maximumLines else { throw malformed("has a malformed group line, or too many") }
        var indexes: [Int] = []
        for name in items[2...] {
            guard let index = names[name], members.insert(index).inserted else {
                throw malformed("has a group with a member that is not defined before it, or is a member already")
            }
            indexes.append(index)
        }
        let threshold: UInt64?
        switch String(decoding: items[1], as: UTF8.self) {
        case "all": threshold = UInt64(indexes.count)
        case "any": threshold = 1
        default: threshold = UInt64(decimal: items[1])
        }
        guard let threshold, (1...UInt64(indexes.count)).contains(threshold) else {
            throw malformed("has a group with an invalid threshold")
        }
        try define(items[0], .group(threshold: Int(threshold), members: indexes))
        groupCount += 1
    }

    private mutating func readQuorum(_ items: [[UInt8]]) throws(TransparencyLogError) {
        guard items.count == 1, !hasQuorum else { throw malformed("has a malformed quorum line, or two") }
        hasQuorum = true
        if items[0].elementsEqual("none".utf8) { return }
        guard let index = names[items[0]] else { throw malformed("has a quorum that is not defined before it") }
        quorum.required = index
    }

    private mutating func define(_ name: [UInt8], _ rule: Quorum.Rule) throws(TransparencyLogError) {
        guard !Self.reserved.contains(name), names[name] == nil else { throw malformed("has a reserved name, or one twice") }
        names[name] = quorum.rules.count
        quorum.rules.append(rule)
    }

    /// A key of this kind that the policy does not have yet, under no name and for nothing else.
    private func key(_ text: [UInt8], _ kind: KeyKind) throws(TransparencyLogError) -> VerifierKey {
        let key: VerifierKey
        do { key = try VerifierKey(text) } catch { throw malformed("has a malformed key: \(error.message)") }
        guard key.kind == kind else { throw malformed("has a key of another kind than its line") }
        guard !logs.contains(where: { $0.key.isSameKey(as: key) }), !witnesses.contains(where: { $0.key.isSameKey(as: key) }) else {
            throw malformed("has a key twice")
        }
        return key
    }

    private static func url(_ items: ArraySlice<[UInt8]>) -> String? { items.first.map { String(decoding: $0, as: UTF8.self) } }

    private func malformed(_ problem: String) -> TransparencyLogError { TransparencyLogError(.malformedPolicy, problem) }
}
