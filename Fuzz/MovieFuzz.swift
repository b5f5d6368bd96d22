import Foundation
import Movie

/// libFuzzer's entry: the first byte is the size of chunks, the rest a file, and the payload of `moov` of a file.
///
/// Chunks must not matter. What is read must keep the rules that everyone relies on, and its public copy must be read as the same movie.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMovie(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let file = Array(input.dropFirst())
    let whole = read(file, chunk: max(file.count, 1))
    precondition(whole == read(file, chunk: Int(first) + 1), "chunks matter")
    if case .success(let movie) = whole {
        inspect(movie, fileLength: Int64(file.count))
        copy(movie, of: file)
    }
    let length: Int64 = 1 << 40
    if let movie = try? Movie(movieBox: file, at: 40..<40 + Int64(file.count), fileLength: length) { inspect(movie, fileLength: length) }
    return 0
}

private func read(_ file: [UInt8], chunk: Int) -> Result<Movie, MovieError> {
    do throws(MovieError) {
        var scanner = MovieScanner()
        for start in stride(from: 0, to: file.count, by: chunk) { try scanner.consume(file[start..<min(start + chunk, file.count)]) }
        return .success(try scanner.finish())
    } catch {
        return .failure(error)
    }
}

private func inspect(_ movie: Movie, fileLength: Int64) {
    precondition((1...1000).contains(movie.video.samples.count), "pictures")
    precondition(movie.sound.map { (1...4096).contains($0.samples.count) } ?? true, "packets of sound")
    var end: Int64 = 0
    for index in movie.fileOrder {
        let range = movie.sample(index).range
        precondition(range.lowerBound >= end && range.upperBound <= fileLength && !range.isEmpty, "a sample out of place")
        end = range.upperBound
    }
    let times = movie.video.samples.map(\.time)
    precondition(times.first == 0 && times.min() == 0 && Set(times).count == times.count, "times")
    precondition((0...15_500).contains(movie.durationMilliseconds) && movie.video.samples.first?.isSync == true, "an impossible movie")
    _ = (movie.video.format.codecString, movie.sound?.format.codecString)
}

private func copy(_ movie: Movie, of file: [UInt8]) {
    let plan = PublicMovie(movie, startedAt: Date(timeIntervalSince1970: 1_767_225_600))
    let copy = plan.head + plan.ranges.flatMap { file[Int($0.lowerBound)..<Int($0.upperBound)] }
    precondition(plan.length == copy.count, "another length")
    guard case .success(let read) = read(copy, chunk: copy.count) else { preconditionFailure("the copy is not read") }
    precondition(read.video.edit == movie.video.edit && read.video.firstOffset == movie.video.firstOffset, "other times")
    precondition(read.video.samples.map(\.time) == movie.video.samples.map(\.time), "other times of pictures")
    precondition(read.sound?.samples.map(\.time) == movie.sound?.samples.map(\.time), "other times of sound")
    precondition(read.durationMilliseconds == movie.durationMilliseconds && read.fileOrder == movie.fileOrder, "another order")
}
