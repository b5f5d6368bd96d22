import CaptureProtocol

/// Takes the members of an object one by one; what is left over at the end is refused.
struct StatementMembers {
    private var members: [String: CanonicalJSON]
    private let code: BundleError.Code

    /// - Parameter code: of the errors.
    init(_ value: CanonicalJSON, code: BundleError.Code = .statement) {
        if case .object(let members) = value { self.members = members } else { members = [:] }
        self.code = code
    }

    func wrong(_ name: String) -> BundleError { BundleError(code, "has no \(name), or one of another form") }

    mutating func optionalString(_ name: String) throws(BundleError) -> String? {
        switch members.removeValue(forKey: name) {
        case nil: return nil
        case .string(let text)?: return text
        default: throw wrong(name)
        }
    }

    mutating func string(_ name: String) throws(BundleError) -> String {
        guard let text = try optionalString(name) else { throw wrong(name) }
        return text
    }

    /// - Parameter read: `nil` refuses the text.
    mutating func value<Value>(_ name: String, _ read: (String) -> Value?) throws(BundleError) -> Value {
        guard let value = read(try string(name)) else { throw wrong(name) }
        return value
    }

    /// - Parameter read: gets the bytes that are written as lower-case hex; `nil` refuses them.
    mutating func hex<Value>(_ name: String, _ read: ([UInt8]) -> Value?) throws(BundleError) -> Value {
        let text = try string(name)
        guard let bytes = Hex.decode(text), Hex.encode(bytes).utf8.elementsEqual(text.utf8), let value = read(bytes) else {
            throw wrong(name)
        }
        return value
    }

    mutating func integer(_ name: String) throws(BundleError) -> Int {
        guard case .integer(let value)? = members.removeValue(forKey: name) else { throw wrong(name) }
        return value
    }

    /// An object of texts.
    mutating func strings(_ name: String) throws(BundleError) -> [String: String] {
        guard case .object(let members)? = members.removeValue(forKey: name) else { throw wrong(name) }
        var strings: [String: String] = [:]
        for (key, value) in members {
            guard case .string(let text) = value else { throw wrong(name) }
            strings[key] = text
        }
        return strings
    }

    /// - Throws: if there are members that nobody asked for.
    func end() throws(BundleError) {
        // A count, because names of outside data do not belong into messages.
        guard members.isEmpty else { throw BundleError(code, "has members that do not belong there") }
    }
}
