public import Foundation
public import Logging
public import Secrets

/// Reads settings from environment variables: `NAME`, or the file whose path is in `NAME_FILE`. Errors name the variable.
public struct ServiceEnvironment: Sendable {
    private let variables: [String: String]

    public init(_ variables: [String: String] = ProcessInfo.processInfo.environment) { self.variables = variables }

    /// The value without surrounding white space; `nil` if unset or empty.
    /// - Throws: ``SettingsError`` if both forms are set, or the file cannot be read.
    public func optional(_ name: String) throws -> String? {
        let direct = variables[name].flatMap(Self.nonEmpty)
        guard let path = variables[name + "_FILE"].flatMap(Self.nonEmpty) else { return direct }
        guard direct == nil else { throw SettingsError(name, "is set, and so is \(name)_FILE: give one") }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw SettingsError(name + "_FILE", "names a file that cannot be read: \(path)")
        }
        guard let value = Self.nonEmpty(text) else { throw SettingsError(name + "_FILE", "names an empty file: \(path)") }
        return value
    }

    /// The value, as ``optional(_:)`` gives it.
    /// - Throws: ``SettingsError``, also if it is not set.
    public func required(_ name: String) throws -> String {
        guard let value = try optional(name) else { throw SettingsError(name, "is not set") }
        return value
    }

    /// What no log or error may show.
    /// - Throws: as ``required(_:)``.
    public func secret(_ name: String) throws -> Secret<String> { Secret(try required(name)) }

    /// A whole number in decimal.
    /// - Throws: ``SettingsError``, also if it is not set and there is no default.
    public func integer(_ name: String, default fallback: Int? = nil, in range: ClosedRange<Int>) throws -> Int {
        guard let text = try optional(name) else {
            guard let fallback else { throw SettingsError(name, "is not set") }
            return fallback
        }
        guard let value = Int(text), range.contains(value) else {
            throw SettingsError(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
        }
        return value
    }

    /// One of the cases of `type`, by raw value.
    /// - Throws: ``SettingsError``, also if it is not set and there is no default.
    public func choice<T: RawRepresentable & CaseIterable>(
        _ name: String, _ type: T.Type, default fallback: T? = nil
    ) throws -> T where T.RawValue == String {
        guard let text = try optional(name) else {
            guard let fallback else { throw SettingsError(name, "is not set") }
            return fallback
        }
        guard let value = T(rawValue: text) else {
            throw SettingsError(name, "must be \(T.allCases.map(\.rawValue).joined(separator: " or ")), not “\(text)”")
        }
        return value
    }

    /// An http or https address.
    /// - Throws: ``SettingsError``, also if it is set to anything else.
    public func url(_ name: String) throws -> URL? {
        guard let text = try optional(name) else { return nil }
        guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme), url.host != nil else {
            throw SettingsError(name, "must be an http or https address, not “\(text)”")
        }
        return url
    }

    /// As ``url(_:)``, of a variable that must be set.
    /// - Throws: ``SettingsError``, also if it is not set.
    public func requiredURL(_ name: String) throws -> URL {
        guard let url = try url(name) else { throw SettingsError(name, "is not set") }
        return url
    }

    /// The parts of a value with commas between, without the white space around them; empty if unset.
    /// - Throws: ``SettingsError`` if there is no part, or one of white space alone.
    public func list(_ name: String) throws -> [String] {
        guard let text = try optional(name) else { return [] }
        let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty }) else { throw SettingsError(name, "must be a list, comma separated") }
        return parts
    }

    /// PEM text, or that of the PEM file whose path it is.
    /// - Throws: ``SettingsError``, also if it is not set. Whether it is PEM is not checked.
    public func pem(_ name: String) throws -> String {
        guard let text = try optionalPEM(name) else { throw SettingsError(name, "is not set") }
        return text
    }

    /// As ``pem(_:)``; `nil` if unset.
    /// - Throws: ``SettingsError``, also if the file cannot be read.
    public func optionalPEM(_ name: String) throws -> String? { try text(name) { $0.contains("-----BEGIN") } }

    /// A policy of c2sp.org/tlog-policy, each line with its end: several lines, or the path of a file with them; `nil` if unset.
    /// - Throws: ``SettingsError`` if it is too long or cannot be read. Whether it is a policy is not checked.
    public func policy(_ name: String) throws -> String? {
        guard let text = try text(name, isText: { $0.contains(where: \.isNewline) }) else { return nil }
        guard text.utf8.count < 256 << 10 else { throw SettingsError(name, "must be a policy of at most 256 KiB, or a file with one") }
        return text.last?.isNewline == true ? text : text + "\n"
    }

    /// As ``policy(_:)``, read by what knows policies.
    /// - Throws: ``SettingsError`` also if `read` throws.
    public func policy<Policy>(_ name: String, _ read: ([UInt8]) throws -> Policy) throws -> Policy? {
        guard let text = try policy(name) else { return nil }
        do {
            return try read(Array(text.utf8))
        } catch {
            throw SettingsError(name, "is not a policy of c2sp.org/tlog-policy: \(error)")
        }
    }

    /// - Parameter isText: whether a value is the text itself, and not the path of a file with it.
    private func text(_ name: String, isText: (String) -> Bool) throws -> String? {
        guard let value = try optional(name) else { return nil }
        if isText(value) { return value }
        guard let text = try? String(contentsOfFile: value, encoding: .utf8) else {
            throw SettingsError(name, "names a file that cannot be read: \(value)")
        }
        return text
    }

    /// `RIAL_LOG_LEVEL`; `nil` if unset.
    /// - Throws: ``SettingsError``, also if it is no level.
    public func logLevel() throws -> Logger.Level? {
        guard let text = try optional("RIAL_LOG_LEVEL") else { return nil }
        guard let level = Logger.Level(rawValue: text) else {
            throw SettingsError("RIAL_LOG_LEVEL", "must be trace, debug, info, notice, warning, error or critical, not “\(text)”")
        }
        return level
    }

    private static func nonEmpty(_ text: String) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }
}

/// A missing or contradictory setting; the service does not start.
public struct SettingsError: Error, CustomStringConvertible, Equatable {
    public let variable: String
    public let problem: String
    public init(_ variable: String, _ problem: String) {
        self.variable = variable
        self.problem = problem
    }
    public var description: String { "\(variable) \(problem)" }
}

extension ServiceEnvironment {
    /// The path of a program that comes with the service.
    /// - Parameters:
    ///   - variable: overrides it.
    ///   - name: of the program beside this one.
    /// - Throws: as ``optional(_:)``.
    public func program(_ variable: String, named name: String) throws -> String {
        let own = CommandLine.arguments.first.map { URL(filePath: $0) }
        let beside = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map { URL(filePath: $0) } ?? own
        return try optional(variable) ?? beside?.deletingLastPathComponent().appending(path: name).path ?? name
    }

    /// A folder for files without a name; the system's temporary folder unless the variable is set.
    /// - Throws: ``SettingsError`` if it cannot be written.
    public func scratchFolder(_ variable: String) throws -> String {
        let folder = try optional(variable) ?? FileManager.default.temporaryDirectory.path
        guard access(folder, W_OK | X_OK) == 0 else {
            throw SettingsError(variable, "is not a writable directory: \(folder)")
        }
        return folder
    }
}
