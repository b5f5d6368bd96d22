import CSandbox
import Inspection

/// The command-line arguments.
struct Settings {
    var isSelfTest = false
    var moov: Range<Int64> = 0..<0
    var fileLength: Int64 = 0
    var samples: [Int] = []
    var lumaWidth = 0
    var lumaHeight = 0
    var posterSide = 0
    /// `nil` for no playback copy.
    var playbackSide: Int?
    // Captures of photos, which take a fraction of the time, do not wait for videos.
    var limits = rial_sandbox_limits(memory_bytes: 1 << 30, cpu_seconds: 180, wall_seconds: 245, niceness: 15)

    static let usage = """
        usage: video-decoder [--self-test] --moov START:END --length BYTES --luma WIDTHxHEIGHT --samples N,… --poster SIDE \
        [--playback SIDE] [--memory-bytes N] [--cpu-seconds N] [--wall-seconds N]
        """

    /// `nil` if an argument is unknown or invalid.
    init?(_ arguments: some Sequence<String>) {
        guard let options = ProgramOptions(arguments) else { return nil }
        isSelfTest = options.isSelfTest
        for (name, value) in options.values {
            guard take(name, value) else { return nil }
        }
    }

    private mutating func take(_ name: String, _ value: String) -> Bool {
        func pair<Number: FixedWidthInteger>(_ separator: Character, _ type: Number.Type) -> (Number, Number)? {
            let parts = value.split(separator: separator).compactMap { Number($0) }
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        switch name {
        case "--moov":
            guard let (start, end) = pair(":", Int64.self), 0 <= start, start < end else { return false }
            moov = start..<end
        case "--length":
            guard let length = Int64(value), length > 0 else { return false }
            fileLength = length
        case "--luma":
            guard let (width, height) = pair("x", Int.self), (1...4096).contains(width), (1...4096).contains(height) else { return false }
            (lumaWidth, lumaHeight) = (width, height)
        case "--samples":
            samples = value.split(separator: ",").compactMap { Int($0) }
        case "--poster":
            guard let side = Int(value), (1...4096).contains(side) else { return false }
            posterSide = side
        case "--playback":
            guard let side = Int(value), (16...4096).contains(side) else { return false }
            playbackSide = side
        default: return limits.take(name, value)
        }
        return true
    }
}
