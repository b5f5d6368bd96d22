import Foundation

/// A small body that inflates to a large one.
enum Bomb {
    /// gzip of zeros, about a thousandth of their size.
    static func gzipOfZeros(bytes: Int) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "head -c \(bytes) /dev/zero | gzip -1"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(data)
    }
}
