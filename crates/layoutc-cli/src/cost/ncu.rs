//! Reports of Nsight Compute: what `ncu --csv` prints.
//!
//! There are two forms. `--page raw` has a row for each launch and a column for each metric, with a row of units below the
//! header. `--page details` has a row for each metric of a launch. In both, the values have thousands separators, and lines
//! of `ncu` (`==PROF== …`) and of the program itself may stand around them. Windows writes redirected output as UTF-16.

mod numbers;
mod text;

use csv::{ReaderBuilder, StringRecord};
use numbers::{number, scale};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The metrics that `cost` compares, by what it takes.
pub(super) const METRICS: [&str; 12] = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_bytes.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__bytes.sum",
    "gpu__time_duration.sum",
];

/// What the page of details calls a metric.
const LABELS: [(&str, &str); 1] = [("Duration", "gpu__time_duration.sum")];

/// A launch that was measured.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Launch {
    /// The kernel, as the report has it.
    pub(super) kernel: String,
    /// Threads of a block, if the report says it.
    pub(super) threads: Option<u64>,
    /// Blocks, if the report says it.
    pub(super) blocks: Option<u64>,
    /// Values of [`METRICS`] in bytes, seconds, sectors, requests and percent.
    pub(super) metrics: BTreeMap<&'static str, f64>,
}

/// Reads a report.
///
/// # Errors
/// What is wrong with it, with its line.
pub(super) fn read(path: &Path) -> Result<Vec<Launch>, String> {
    let bytes = fs::read(path).map_err(|error| format!("--ncu {}: {error}", path.display()))?;
    parse(&bytes).map_err(|error| format!("--ncu {}: {error}", path.display()))
}

/// The launches of a report.
///
/// # Errors
/// What is wrong with it, with its line.
fn parse(bytes: &[u8]) -> Result<Vec<Launch>, String> {
    let text = text::decode(bytes)?;
    let table = text::table(&text)?;
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(table.text.as_bytes());
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let columns = Columns::new(&header)?;
    let mut launches: BTreeMap<String, Launch> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    let mut units: Option<StringRecord> = None;
    let mut end = table.line;
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line) + table.line - 1;
        end = line;
        if record.len() != header.len() {
            let (found, wanted) = (record.len(), header.len());
            return Err(format!(
                "line {line} has {found} of {wanted} columns: the file is not complete"
            ));
        }
        let id = record[columns.id].to_owned();
        if id.is_empty() {
            // The units of the columns below.
            units.get_or_insert(record);
            continue;
        }
        let launch = launches.entry(id.clone()).or_insert_with(|| {
            order.push(id);
            Launch {
                kernel: record[columns.kernel].to_owned(),
                threads: columns.block.and_then(|at| extent(&record[at])),
                blocks: columns.grid.and_then(|at| extent(&record[at])),
                metrics: BTreeMap::new(),
            }
        });
        let values: Vec<(&'static str, &str, &str)> = match &columns.metrics {
            Metrics::Rows { name, unit, value } => known(&record[*name])
                .map(|metric| (metric, &record[*unit], &record[*value]))
                .into_iter()
                .collect(),
            Metrics::Columns(columns) => columns
                .iter()
                .map(|(at, metric, unit)| {
                    let below = units.as_ref().map(|units| &units[*at]);
                    (*metric, unit.as_deref().or(below).unwrap_or_default(), &record[*at])
                })
                .collect(),
        };
        for (metric, unit, value) in values {
            let value = number(value).map_err(|error| format!("line {line}: {error}"))?;
            let scale = scale(unit).ok_or_else(|| {
                format!("line {line}: the unit `{unit}` of `{metric}` is not known")
            })?;
            if let Some(value) = value {
                launch.metrics.insert(metric, value * scale);
            }
        }
    }
    if table.is_open {
        return Err(format!("line {end}: the file ends inside of quotes, so it is not complete"));
    }
    let launches: Vec<Launch> = order.iter().filter_map(|id| launches.remove(id)).collect();
    if launches.is_empty() {
        return Err("it has a header, but no launch of a kernel".to_owned());
    }
    if launches.iter().all(|launch| launch.metrics.is_empty()) {
        let wanted = METRICS.join(",");
        return Err(format!(
            "it has no metric that `cost` compares; measure with\n  ncu --csv --page raw --metrics {wanted} ./program"
        ));
    }
    Ok(launches)
}

/// The metric that a column or a row is of, if `cost` compares it. The graphical interface writes the unit behind the name.
fn known(name: &str) -> Option<&'static str> {
    let name = name.split(" [").next().unwrap_or(name).trim();
    let label = LABELS.into_iter().find(|(label, _)| *label == name);
    let name = label.map_or(name, |(_, metric)| metric);
    METRICS.into_iter().find(|metric| *metric == name)
}

/// Where things stand in a row.
struct Columns {
    id: usize,
    kernel: usize,
    block: Option<usize>,
    grid: Option<usize>,
    metrics: Metrics,
}

/// Where the metrics are.
enum Metrics {
    /// One in each row.
    Rows { name: usize, unit: usize, value: usize },
    /// One in each of these columns, with the unit that is behind its name.
    Columns(Vec<(usize, &'static str, Option<String>)>),
}

impl Columns {
    fn new(header: &StringRecord) -> Result<Columns, String> {
        let at = |name: &str| header.iter().position(|own| own == name);
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let (Some(id), Some(kernel)) = (at("ID"), at("Kernel Name")) else {
            return Err("its header has no columns `ID` and `Kernel Name`".to_owned());
        };
        let rows = (at("Metric Name"), at("Metric Unit"), at("Metric Value"));
        let metrics = match rows {
            (Some(name), Some(unit), Some(value)) => Metrics::Rows { name, unit, value },
            (None, None, None) => Metrics::Columns(
                header
                    .iter()
                    .enumerate()
                    .filter_map(|(at, name)| {
                        let metric = known(name).filter(|metric| seen.insert(metric))?;
                        let unit =
                            name.split_once(" [").map(|(_, unit)| unit.trim_end_matches(']'));
                        Some((at, metric, unit.map(str::to_owned)))
                    })
                    .collect(),
            ),
            _ => {
                let wanted = "`Metric Name`, `Metric Unit` and `Metric Value`";
                return Err(format!("its header has only some of the columns {wanted}"));
            }
        };
        Ok(Columns { id, kernel, block: at("Block Size"), grid: at("Grid Size"), metrics })
    }
}

/// The product of `(256, 1, 1)`, or a number.
fn extent(text: &str) -> Option<u64> {
    let inner = text.trim().trim_start_matches('(').trim_end_matches(')');
    let mut parts = inner.split(',').map(|part| part.trim().parse::<u64>().ok());
    parts.try_fold(1_u64, |product, part| product.checked_mul(part?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: &str = "\
==PROF== Connected to process 7 (/tmp/a.out)
step 1 of 2
\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes_read.sum\",\"gpu__time_duration.sum\",\"sm__cycles.avg\"
\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Mbyte\",\"us\",\"cycle\"
\"0\",\"7\",\"a.out\",\"host\",\"void integrate<float>(Particle *, int)\",\"1\",\"7\",\"(128, 1, 1)\",\"(4, 2, 1)\",\"0\",\"9.0\",\"1,234.50\",\"8.0\",\"n/a\"
==PROF== Disconnected from process 7
";

    const LONG: &str = "\
\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"
\"0\",\"7\",\"a.out\",\"host\",\"step(int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(16, 1, 1)\",\"0\",\"9.0\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ns\",\"2,848\"
\"0\",\"7\",\"a.out\",\"host\",\"step(int)\",\"1\",\"7\",\"(256, 1, 1)\",\"(16, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\",\"sector\",\"16,384\"
";

    #[test]
    fn a_row_for_each_launch() {
        let found = parse(RAW.as_bytes()).expect("a report");
        let [launch] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(launch.kernel, "void integrate<float>(Particle *, int)");
        assert_eq!((launch.threads, launch.blocks), (Some(128), Some(8)));
        assert_eq!(launch.metrics["dram__bytes_read.sum"], 1_234_500_000.0);
        assert_eq!(launch.metrics["gpu__time_duration.sum"], 8e-6);
        assert_eq!(launch.metrics.len(), 2);
    }

    #[test]
    fn a_row_for_each_metric() {
        let found = parse(LONG.as_bytes()).expect("a report");
        let [launch] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(launch.metrics["gpu__time_duration.sum"], 2.848e-6);
        assert_eq!(launch.metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], 16_384.0);
    }

    /// As a shell of Windows redirects it, and as an editor saves it.
    #[test]
    fn encodings_and_line_ends() {
        let expected = parse(RAW.as_bytes()).expect("a report");
        let lines = RAW.replace('\n', "\r\n");
        let with_mark = format!("\u{feff}{lines}");
        let units: Vec<u16> = with_mark.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        for bytes in [with_mark.into_bytes(), little, big] {
            assert_eq!(parse(&bytes).as_ref(), Ok(&expected));
        }
    }

    #[test]
    fn what_is_no_report_is_refused() {
        let half = LONG.len() - 30;
        let open = LONG.trim_end().trim_end_matches('"');
        let cases: [(&[u8], &str); 12] = [
            (b"", "it is empty"),
            (b"NVR\0\x01", "is no text"),
            (b"==ERROR== ERR_NVGPUCTRPERM", "no line with the columns `ID` and `Kernel Name`"),
            (b"a,b\n1,2\n", "no line with the columns"),
            (b"\"ID\",\"Kernel Name\"\n", "no launch"),
            (b"\"ID\",\"Kernel Name\",\"x\"\n\"0\",\"k\",\"1\"\n", "ncu --csv --page raw --metrics"),
            (b"\"ID\",\"Kernel Name\",\"Metric Name\"\n\"0\",\"k\",\"x\"\n", "only some"),
            (&LONG.as_bytes()[..half], "line 3 has 13 of 15 columns"),
            (open.as_bytes(), "line 3: the file ends inside of quotes"),
            (b"\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"0\",\"k\",\"1.234,5\"\n", "is no number"),
            (
                b"\"ID\",\"Kernel Name\",\"dram__bytes.sum\"\n\"\",\"\",\"furlong\"\n\"0\",\"k\",\"1\"\n",
                "line 3: the unit `furlong`",
            ),
            (b"\xff\xfe\"", "odd number of bytes"),
        ];
        for (bytes, expected) in cases {
            let error = parse(bytes).expect_err(expected);
            assert!(error.contains(expected), "{error}");
        }
    }
}
