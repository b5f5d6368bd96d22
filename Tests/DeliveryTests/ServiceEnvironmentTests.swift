import Foundation
import Logging
import Testing

@testable import ServiceRuntime

@Suite("Settings from the environment")
struct ServiceEnvironmentTests {
    enum Colour: String, CaseIterable { case red, blue }

    @Test("a value comes from the variable, or from the file that its other form names, without white space around it")
    func values() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "rial-\(UUID())").path
        try Data(" secret\n".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let environment = ServiceEnvironment(["A": " plain ", "B_FILE": file, "C": "", "D_FILE": ""])
        #expect(try environment.required("A") == "plain")
        #expect(try environment.required("B") == "secret")
        #expect(try environment.optional("C") == nil && environment.optional("D") == nil)
    }

    @Test("a list has commas between its parts, and no white space around them; nothing set is an empty one")
    func lists() throws {
        let environment = ServiceEnvironment(["ONE": "a", "SOME": " a.b , c,d ", "LAST": "a,"])
        #expect(try environment.list("ONE") == ["a"] && environment.list("SOME") == ["a.b", "c", "d"])
        #expect(try environment.list("LAST") == ["a"] && environment.list("NONE") == [])
    }

    @Test("a certificate or a policy is a text, or the path of a file with it")
    func texts() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "rial-\(UUID())").path
        try Data("quorum none".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let environment = ServiceEnvironment([
            "PATH": file, "PEM": "-----BEGIN CERTIFICATE-----", "POLICY": "# ours\nquorum none\n", "GONE": "/nowhere",
        ])
        #expect(try environment.pem("PEM") == "-----BEGIN CERTIFICATE-----" && environment.pem("PATH") == "quorum none")
        #expect(try environment.optionalPEM("NONE") == nil && environment.policy("NONE") == nil)
        #expect(try environment.policy("POLICY") == "# ours\nquorum none\n" && environment.policy("PATH") == "quorum none\n")
        expect("GONE") { try environment.optionalPEM("GONE") }
        expect("GONE") { try environment.policy("GONE") }
        #expect(try environment.policy("POLICY") { $0.count } == 19 && environment.policy("NONE") { $0.count } == nil)
        expect("POLICY") { try environment.policy("POLICY") { _ in throw CancellationError() } }
        expect("NONE") { try environment.pem("NONE") }
    }

    @Test("the log's level is one that there is, also if a file says it")
    func level() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "rial-\(UUID())").path
        try Data("debug\n".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        #expect(try ServiceEnvironment([:]).logLevel() == nil)
        #expect(try ServiceEnvironment(["RIAL_LOG_LEVEL": "warning"]).logLevel() == .warning)
        #expect(try ServiceEnvironment(["RIAL_LOG_LEVEL_FILE": file]).logLevel() == .debug)
        expect("RIAL_LOG_LEVEL") { try ServiceEnvironment(["RIAL_LOG_LEVEL": "loud"]).logLevel() }
    }

    @Test("whatever is wrong names the variable")
    func failures() {
        let environment = ServiceEnvironment([
            "BOTH": "x", "BOTH_FILE": "/etc/hostname", "GONE_FILE": "/nowhere", "WORD": "seven", "FAR": "99", "COLOUR": "green",
            "URL": "ftp://x", "LIST": ",", "HOLE": "a, ,b", "LONG": String(repeating: "#\n", count: 129 << 10),
        ])
        expect("MISSING") { try environment.required("MISSING") }
        expect("BOTH") { try environment.optional("BOTH") }
        expect("GONE_FILE") { try environment.optional("GONE") }
        expect("WORD") { try environment.integer("WORD", in: 1...10) }
        expect("FAR") { try environment.integer("FAR", in: 1...10) }
        expect("NONE") { try environment.integer("NONE", in: 1...10) }
        expect("COLOUR") { try environment.choice("COLOUR", Colour.self) }
        expect("URL") { try environment.url("URL") }
        expect("LIST") { try environment.list("LIST") }
        expect("HOLE") { try environment.list("HOLE") }
        expect("LONG") { try environment.policy("LONG") }
    }

    private func expect(_ variable: String, _ body: () throws -> Any?) {
        #expect {
            _ = try body()
        } throws: { error in
            (error as? SettingsError)?.variable == variable
        }
    }
}
