import Foundation
import Synchronization

/// Writes results to standard output and progress to standard error, so that scripts can read the results alone. What servers and files say
/// is among it, and does not control the terminal.
enum Console {
    private static let lostResults = Atomic<Bool>(false)

    /// The command did what it should, but what it found could not be written.
    struct ResultsLost: Error {}

    /// Whether a result could not be written: the command has failed then, whatever it did (``Rial/main()``).
    static var hasLostResults: Bool { lostResults.load(ordering: .relaxed) }

    static func progress(_ text: String) { try? write(printable(text), to: FileHandle.standardError) }

    /// - Parameter isJSON: nothing is taken away; what could control the terminal is escaped.
    static func result(_ text: String, isJSON: Bool = false) {
        do {
            try write(isJSON ? escaped(text) : printable(text), to: FileHandle.standardOutput)
        } catch {
            // Said once: those that follow fail in the same way.
            if !lostResults.exchange(true, ordering: .relaxed) { progress("Error: \(error)") }
        }
    }

    /// JSON in which strings escape what ``TextTable/printable(_:)`` takes away. Encoders do so only below U+0020.
    static func escaped(_ json: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in json.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .lineSeparator, .paragraphSeparator,
                .format where scalar != "\u{200D}":
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
                }
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// ``TextTable/printable(_:)`` of each line.
    static func printable(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { TextTable.printable(String($0)) }.joined(separator: "\n")
    }

    /// Writes a line. A closed pipe, such as after `head`, is not an error: nobody wants the rest.
    /// - Throws: ``CommandFailure``.
    static func write(_ line: String, to handle: FileHandle) throws {
        let bytes = Array((line + "\n").utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { writeSome(handle.fileDescriptor, UnsafeRawBufferPointer(rebasing: $0[written...])) }
            let code = errno
            if count >= 0 {
                written += count
            } else if code == EPIPE {
                return
            } else if code == EAGAIN {
                var ready = pollfd(fd: handle.fileDescriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if code != EINTR {
                throw CommandFailure("The result cannot be written: \(String(cString: strerror(code))).")
            }
        }
    }
}

/// write(2), which has the name of a method above.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(descriptor, bytes.baseAddress, bytes.count) }
