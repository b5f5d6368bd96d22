import Foundation
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

    @Test("whatever is wrong names the variable")
    func failures() {
        let environment = ServiceEnvironment([
            "BOTH": "x", "BOTH_FILE": "/etc/hostname", "GONE_FILE": "/nowhere", "WORD": "seven", "FAR": "99", "COLOUR": "green",
            "URL": "ftp://x",
        ])
        expect("MISSING") { try environment.required("MISSING") }
        expect("BOTH") { try environment.optional("BOTH") }
        expect("GONE_FILE") { try environment.optional("GONE") }
        expect("WORD") { try environment.integer("WORD", in: 1...10) }
        expect("FAR") { try environment.integer("FAR", in: 1...10) }
        expect("NONE") { try environment.integer("NONE", in: 1...10) }
        expect("COLOUR") { try environment.choice("COLOUR", Colour.self) }
        expect("URL") { try environment.url("URL") }
    }

    private func expect(_ variable: String, _ body: () throws -> Any?) {
        #expect {
            _ = try body()
        } throws: { error in
            (error as? SettingsError)?.variable == variable
        }
    }
}
